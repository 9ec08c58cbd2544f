import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH } from '../../src/relay/json/limits.js';
import { JsonScanner, type JsonValue } from '../../src/relay/json/scanner.js';

interface Seen {
  readonly ok: boolean;
  readonly names: readonly [depth: number, name: string][];
  readonly values: readonly JsonValue[];
}

/** What a scanner tells of a text that comes in pieces of `size` bytes. */
function scan(bytes: Uint8Array, size = bytes.length, keep = 1_000_000): Seen {
  const names: [number, string][] = [];
  const values: JsonValue[] = [];
  const scanner = new JsonScanner({
    onName: (depth, written) => names.push([depth, String(JSON.parse(Buffer.from(written ?? '""').toString()))]),
    onStart: (depth) => (depth === 1 ? keep : 0),
    onValue: (value) => values.push(value),
  });
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) scanner.write(bytes.subarray(at, at + size));
  return { ok: scanner.end(), names, values };
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON as clients write it: with whitespace, escapes, big numbers, names twice. */
const jsonText = fc.letrec<{ value: string }>((tie) => {
  const space = fc.constantFrom('', '', ' ', '\n', '\t', '\r\n  ');
  const scalar = fc.oneof(
    fc.constantFrom('true', 'false', 'null', '-0', '1e400', '12345678901234567890', '-1.5E-7', '0.10'),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"\\u0041\\/\\n"', '"\\ud83d\\ude00"', '"\\uD800"', '"é😀"'),
  );
  const padded = fc.tuple(space, tie('value'), space).map((parts) => parts.join(''));
  const name = fc.oneof(
    fc.constantFrom('"model"', '"mod\\u0065l"', '""', '"a\\"b"'),
    fc.string().map((n) => JSON.stringify(n)),
  );
  const list = fc.array(padded, { maxLength: 4 }).map((items) => `[${items.join(',')}]`);
  const member = fc.tuple(space, name, space, padded).map(([a, key, b, item]) => `${a}${key}${b}:${item}`);
  const object = fc.array(member, { maxLength: 4 }).map((members) => `{${members.join(',')}}`);
  return { value: fc.oneof({ maxDepth: 4 }, scalar, list, object) };
}).value;

describe('the JSON scanner', () => {
  it('takes what JSON.parse takes, and tells the bytes of every value, whatever the pieces', () => {
    fc.assert(
      fc.property(jsonText, fc.integer({ min: 1, max: 9 }), (text, size) => {
        const bytes = Buffer.from(text);
        const whole = scan(bytes);
        expect(whole.ok).toBe(true);
        expect(scan(bytes, size)).toEqual(whole);
        const root: unknown = JSON.parse(text);
        const members = whole.values.filter(({ depth }) => depth === 1);
        for (const { start, end, bytes: kept } of members) {
          expect(Buffer.from(kept ?? []).equals(bytes.subarray(start, end))).toBe(true);
        }
        const read = members.map(({ bytes: kept }) => JSON.parse(Buffer.from(kept ?? []).toString()) as unknown);
        if (Array.isArray(root)) expect(read).toEqual(root);
        else if (typeof root === 'object' && root !== null) {
          const names = whole.names.filter(([depth]) => depth === 1).map(([, name]) => name);
          // Names as JSON.parse has them: the last of two counts.
          expect(new Map(names.map((name, i) => [name, read[i]]))).toEqual(new Map(Object.entries(root)));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes and refuses the same texts as JSON.parse when bytes are changed, left out or added', () => {
    const noise = fc.constantFrom(
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '-',
      '.',
      'e',
      '+',
      't',
      'u',
      ' ',
      '\u0001',
      'é',
    );
    fc.assert(
      fc.property(
        jsonText,
        fc.nat(),
        fc.nat(2),
        noise,
        fc.integer({ min: 1, max: 5 }),
        (text, where, cut, extra, size) => {
          const at = where % (text.length + 1);
          const changed = text.slice(0, at) + extra + text.slice(at + cut);
          // A half of a surrogate pair has no bytes of its own.
          return !changed.isWellFormed() || scan(Buffer.from(changed), size).ok === parses(changed);
        },
      ),
      { numRuns: 20_000 },
    );
  });

  it('takes and refuses the same short texts of the signs of JSON as JSON.parse', () => {
    const signs = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '0',
      '1',
      '-',
      '.',
      'e',
      '+',
      ' ',
      'null',
      'true',
      '"a"',
      'u00e9',
      'n',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...signs), { maxLength: 9 }), (parts) => {
        const text = parts.join('');
        return scan(Buffer.from(text)).ok === parses(text);
      }),
      { numRuns: 50_000 },
    );
  });

  it('refuses what nests deeper than the limit, and takes what does not', () => {
    const nested = (depth: number): Buffer => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    expect(scan(nested(MAX_JSON_DEPTH)).ok).toBe(true);
    expect(scan(nested(MAX_JSON_DEPTH + 1)).ok).toBe(false);
    const scanner = new JsonScanner({ onName: () => {}, onStart: () => 0, onValue: () => {} });
    expect(scanner.write(Buffer.from('['.repeat(1_000_000)))).toBe(false);
    expect(scanner.failure).toEqual({ at: MAX_JSON_DEPTH, why: 'depth' });
  });

  it('keeps no more bytes of a value than asked for', () => {
    const text = Buffer.from('{"a":"12345","b":"1234567"}');
    for (const size of [1, 3, text.length]) {
      const { values } = scan(text, size, 7);
      expect(values.map(({ bytes }) => bytes && Buffer.from(bytes).toString())).toEqual([
        '"12345"',
        undefined,
        undefined,
      ]);
    }
  });
});
