import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areWellFormed, joinedText, joinTexts, TextJoiner } from '../../src/base/index.js';

const words = fc.array(
  fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('', 'é', '▁', '😀', '\u{feff}a')),
);

describe('joined texts', () => {
  it('are the strings that were joined', () => {
    fc.assert(
      fc.property(words, (texts) => {
        const joined = joinTexts(texts);
        expect(texts.map((_, i) => joinedText(joined, i))).toEqual(texts);
        expect(areWellFormed(joined)).toBe(true);
      }),
      { seed: 7 },
    );
  });

  it('come out of the joiner as they came in, however many and long they are', () => {
    const bytes = (length: number): Uint8Array => new Uint8Array(length).map((_, i) => i * 31 + length);
    const lengths = [0, 1, 70_000, 0, 5, 200_000, 3];
    const joiner = new TextJoiner(lengths.length);
    for (const length of lengths) joiner.add(bytes(length), 0, length);
    const { bytes: all, offsets } = joiner.join();
    for (const [i, length] of lengths.entries()) {
      expect(Buffer.from(all.subarray(offsets[i], offsets[i + 1])).equals(bytes(length))).toBe(true);
    }
  });

  it('are well-formed when each of them decodes, also where a character is cut in two', () => {
    const decodes = (text: Uint8Array): boolean => {
      try {
        new TextDecoder('utf-8', { fatal: true }).decode(text);
        return true;
      } catch {
        return false;
      }
    };
    const pieces = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc.constantFrom(...['é', 'a', '▁', '😀'].map((text) => Buffer.from(text))),
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(pieces, fc.array(fc.nat({ max: 12 }), { maxLength: 4 }), (parts, cuts) => {
        const bytes = Uint8Array.from(Buffer.concat(parts));
        const inner = cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b);
        const offsets = Int32Array.from([0, ...inner, bytes.length]);
        const each = Array.from({ length: offsets.length - 1 }, (_, i) =>
          decodes(bytes.subarray(offsets[i], offsets[i + 1])),
        );
        expect(areWellFormed({ bytes, offsets })).toBe(!each.includes(false));
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });
});
