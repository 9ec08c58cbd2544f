import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJoinedVocabulary, createVocabulary } from '../../src/grammar/index.js';
import { createFastTrie } from '../../src/grammar/vocabulary/fast-trie.js';
import { createSlowTrie } from '../../src/grammar/vocabulary/slow-trie.js';
import { sortTexts } from '../../src/grammar/vocabulary/sort-texts.js';

const alike = fc.uint8Array({ min: 96, max: 99, maxLength: 12 });
const texts = fc.array(fc.oneof(alike, fc.uint8Array({ maxLength: 4 }), fc.constant(new Uint8Array(90).fill(32))), {
  maxLength: 200,
});

/** Texts one behind the other. */
function join(parts: readonly Uint8Array[]): { bytes: Uint8Array; offsets: Int32Array } {
  let end = 0;
  const ends = parts.map(({ length }) => (end += length));
  return { bytes: Uint8Array.from(Buffer.concat(parts)), offsets: Int32Array.from([0, ...ends]) };
}

describe('the texts of a vocabulary', () => {
  it('are sorted by bytes, length and id, as by comparing any two', () => {
    fc.assert(
      fc.property(texts, (parts) => {
        const { bytes, offsets } = join(parts);
        const ids = Int32Array.from(parts, (_, i) => (i * 7919) % 1009);
        const { order } = sortTexts({ bytes, starts: offsets.slice(0, -1), ends: offsets.slice(1), ids });
        const slowly = parts
          .map((_, i) => i)
          .toSorted((a, b) => Buffer.compare(parts[a] ?? bytes, parts[b] ?? bytes) || (ids[a] ?? 0) - (ids[b] ?? 0));
        const shown = (i: number): string => `${Buffer.from(parts[i] ?? []).toString('hex')} ${ids[i]}`;
        expect([...order].map(shown)).toEqual(slowly.map(shown));
      }),
      { numRuns: 500, seed: 5 },
    );
  });

  it('make the same tables one behind the other as one by one, without hidden ones and with padding', () => {
    fc.assert(
      fc.property(texts, fc.uniqueArray(fc.nat({ max: 40 })), fc.nat({ max: 9 }), (parts, hiddenIds, padding) => {
        const hidden = new Set(hiddenIds);
        const size = parts.length + padding;
        const listed = Array.from({ length: size }, (_, id) => (hidden.has(id) ? undefined : parts[id]));
        const joined = createJoinedVocabulary(join(parts), hidden, size).toBytes();
        expect(Buffer.from(joined).equals(Buffer.from(createVocabulary(listed).toBytes()))).toBe(true);
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  it('make the same tables in WASM as in TypeScript', () => {
    const zeros = fc.uint8Array({ max: 1, maxLength: 20 });
    const repeated = fc
      .tuple(fc.oneof(alike, zeros), fc.integer({ min: 1, max: 200 }))
      .map(([part, times]) => Uint8Array.from(Buffer.concat(Array.from({ length: times }, () => part))));
    const any = fc.oneof(alike, zeros, repeated, fc.uint8Array({ maxLength: 10 }), fc.constant(new Uint8Array(4096)));
    const lists = fc.array(any, { maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(lists, fc.uniqueArray(fc.nat({ max: 300 })), fc.nat({ max: 9 }), (parts, hiddenIds, padding) => {
        const hidden = new Set([...hiddenIds, -1]);
        const size = parts.length + padding;
        const fast = createFastTrie(join(parts), hidden, size);
        expect(Buffer.from(fast.bytes).equals(Buffer.from(createSlowTrie(join(parts), hidden, size).bytes))).toBe(true);
      }),
      { numRuns: 300, seed: 5 },
    );
    const long = join([new Uint8Array(1), new Uint8Array(4097)]);
    expect(() => createFastTrie(long, new Set(), 2)).toThrow('tokens[1] is 4097; it must be at most 4096 bytes');
    expect(createFastTrie(long, new Set([1]), 2).tokens).toEqual(Int32Array.of(0));
  });

  it('are at most 4,096 bytes long, and 4,194,304', () => {
    const long = join([new Uint8Array(4097)]);
    expect(() => createJoinedVocabulary(long, new Set(), 1)).toThrow(
      'tokens[0] is 4097; it must be at most 4096 bytes',
    );
    expect(() => createJoinedVocabulary(join([]), new Set(), 2 ** 22 + 1)).toThrow('at most 4194304 tokens');
  });
});
