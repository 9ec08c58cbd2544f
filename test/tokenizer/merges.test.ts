import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTokenizer, openTokenizer } from '../../src/tokenizer/index.js';
import { mergeSlowly, openSpec, readJson } from './sample.js';
import { expectWithin } from '../support/elapsed.js';

describe('merging', () => {
  const spec = JSON.parse(readJson('smollm')) as {
    model: { vocab: Record<string, number>; merges: (string | string[])[] };
  };
  const pairs = spec.model.merges.map((each) => (typeof each === 'string' ? each.split(' ') : each).join(' '));
  const ranks = new Map(pairs.map((pair, rank) => [pair, rank]));

  const slowly = (word: string): (number | undefined)[] =>
    mergeSlowly([...word], ranks).map((part) => spec.model.vocab[part]);

  it('words of any length, below and above where the heap takes over, merge as the slow twin does', () => {
    const tokenizer = openSpec(spec);
    const syllables = fc.constantFrom('the', 'he', 'in', 'ing', 'er', 'a', 't', 'lighthouse', 'zz', 'q', 'ation');
    fc.assert(
      fc.property(fc.array(syllables, { minLength: 1, maxLength: 90 }), (parts) => {
        const word = parts.join('');
        expect(tokenizer.encode(word)).toEqual(slowly(word));
      }),
      { numRuns: 200, seed: 11 },
    );
  });

  it('an unknown byte is dropped, or is the unknown token, once in a row with fuse_unk', () => {
    const small = (changes: object): object => ({
      ...JSON.parse(readJson('smollm')),
      added_tokens: [],
      model: { type: 'BPE', vocab: { '?': 0, a: 1 }, merges: [], ...changes },
    });
    expect(openSpec(small({})).encode('axxa')).toEqual([1, 1]);
    expect(openSpec(small({ unk_token: '?' })).encode('axxa')).toEqual([1, 0, 0, 1]);
    expect(openSpec(small({ unk_token: '?', fuse_unk: true })).encode('axxa')).toEqual([1, 0, 1]);
  });

  it.each([
    ['one letter', 'a'.repeat(1 << 20)],
    ['spaces', ' '.repeat(1 << 20)],
    ['emoji', '😀'.repeat(1 << 18)],
    ['letters without a space', Array.from({ length: 1 << 20 }, (_, i) => 'etaoinsh'[(i * i + (i >> 3)) % 8]).join('')],
    ['combining marks out of order', `e${'\u0301\u0323'.repeat(1 << 18)}`],
    [
      'all characters of Latin-1',
      Array.from({ length: 1 << 20 }, (_, i) => String.fromCharCode((i * 167) & 255)).join(''),
    ],
    ['beginnings of an added token', '<|im_start'.repeat(100_000)],
  ])('a megabyte of %s takes seconds at most, not the hours of a quadratic way', (_, text) => {
    const tokenizer = openTokenizer(compileTokenizer(readJson('qwen2')));
    const start = performance.now();
    const ids = tokenizer.encode(text);
    expectWithin(15_000, start);
    if (!text.startsWith('e\u0301')) expect(tokenizer.decode(ids) === text).toBe(true);
  });
});
