import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CustomText, toCustomArguments } from '../../src/answers/responses/custom-tool.js';

/** The text of arguments that come in these pieces: as deltas in a row. */
function read(pieces: readonly string[]): string {
  const reader = new CustomText();
  const deltas = [...pieces.map((piece) => reader.add(piece)), reader.finish()];
  expect(deltas.join('')).toBe(reader.text);
  return reader.text;
}

describe('the text of a custom call', () => {
  it('is what the client sent back, wherever its arguments are cut', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
        fc.constantFrom('"', '\\', '\n', '😀', 'é', '/'),
      ),
    });
    fc.assert(
      fc.property(text, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), fc.boolean(), (input, sizes, escapes) => {
        const plain = toCustomArguments(input);
        const written = escapes
          ? plain.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : plain;
        const pieces: string[] = [];
        for (let at = 0; at < written.length;) {
          const size = sizes.next().value ?? 1;
          pieces.push(written.slice(at, at + size));
          at += size;
        }
        expect(read(pieces)).toBe(input);
      }),
    );
  });

  it('comes before the arguments are whole', () => {
    const reader = new CustomText();
    expect(reader.add('{ "input" : "*** Begin')).toBe('*** Begin');
    expect(reader.add(' Patch\\')).toBe(' Patch');
    expect(reader.add('n+a')).toBe('\n+a');
  });

  it.each([
    ['a text with line breaks as they are', '{"input": "a\nb"}', 'a\nb'],
    ['a member before it', '{"note": 1, "input": "a"}', 'a'],
    ['text alone', '"a"', 'a'],
    ['no JSON', 'ls -l', 'ls -l'],
    ['an object of another form', '{"command": "ls"}', '{"command": "ls"}'],
    ['arguments that were cut', '{"input": "a\\u00', 'a\\u00'],
    ['nothing', '', ''],
  ])('is found in %s', (_, written, text) => {
    expect(read([written])).toBe(text);
    expect(read([...written])).toBe(text);
  });
});
