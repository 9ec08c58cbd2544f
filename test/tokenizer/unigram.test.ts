import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTokenizerModel, openTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';
import { openSpec, readJson } from './sample.js';
import { expectWithin } from '../support/elapsed.js';

interface UnigramSpec {
  model: { vocab: [string, number][]; unk_id: number };
}

const spec = JSON.parse(readJson('unigram-bytes')) as UnigramSpec;
const bare = { ...spec, added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null };

describe('Unigram', () => {
  it('finds no worse a way than any other: the slow twin tries all of them', () => {
    const scores = new Map(spec.model.vocab);
    const worst = Math.min(...scores.values()) - 10;
    const bestOf = (text: string): number => {
      if (text === '') return 0;
      let best = -Infinity;
      const characters = Array.from(text);
      for (let count = 1; count <= characters.length; count++) {
        const score = scores.get(characters.slice(0, count).join('')) ?? (count === 1 ? worst : -Infinity);
        if (score > -Infinity) best = Math.max(best, score + bestOf(characters.slice(count).join('')));
      }
      return best;
    };
    const tokenizer = openSpec({ ...bare, model: { ...spec.model, byte_fallback: false } });
    const costOf = (text: string): number => {
      const ids = tokenizer.encode(text);
      return ids.reduce((sum, id) => sum + (spec.model.vocab[id]?.[1] ?? NaN), 0);
    };
    const words = fc.constantFrom('▁the', 'light', 'house', 'e', 'r', '▁', 'ing', 'un', '.', 's');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 4 }), (parts) => {
        const text = parts.join('').slice(0, 14);
        expect(costOf(text)).toBeCloseTo(bestOf(text), 9);
      }),
      { numRuns: 300, seed: 41 },
    );
  });

  it('fuses unknown neighbours, or has the tokens of their bytes', () => {
    const fused = openSpec({ ...bare, model: { ...spec.model, byte_fallback: false } });
    expect(fused.encode('\u{1f600}\u{1f601}')).toEqual([spec.model.unk_id]);
    const bytes = openSpec(bare);
    const ids = bytes.encode('\u{1f600}');
    expect(ids.map((id) => spec.model.vocab[id]?.[0])).toEqual(['<0xF0>', '<0x9F>', '<0x98>', '<0x80>']);
  });

  it('does not take the text of a control token for it where that is text', () => {
    const tokenizer = openSpec({ ...(spec as object), normalizer: null, post_processor: null });
    const control = tokenizer.tokenToId('<s>');
    expect(tokenizer.encode('a<s>b')).toContain(control);
    expect(tokenizer.encode('a<s>b', { plain: 'everywhere' })).not.toContain(control);
  });

  const model = join(process.cwd(), 'test/vectors/tokenizers/spm-unigram/tokenizer.model');
  it.each<[string, () => Tokenizer]>([
    ['tokenizer.json', () => openSpec(JSON.parse(readJson('xlmr-unigram')) as object)],
    ['tokenizer.model', () => openTokenizer(compileTokenizerModel(readFileSync(model)))],
  ])('of %s takes seconds at most for a megabyte', (_, open) => {
    const tokenizer = open();
    for (const text of ['the lighthouse keeper ', 'etaoinsh', ' ', '\u{1f600}', 'e\u0301', 'ﬁ', '中'].map((part) =>
      part.repeat((1 << 20) / part.length),
    )) {
      const start = performance.now();
      tokenizer.encode(text);
      expectWithin(15_000, start);
    }
  });

  it.each<[string, object]>([
    ['no unknown token', { unk_id: null }],
    ['an id past its end', { unk_id: 5000 }],
    ['no tokens', { vocab: [] }],
    ['a score that is none', { vocab: [['a', null]] }],
  ])('with %s is refused', (what, changes) => {
    const code = what === 'no unknown token' ? 'unsupported_tokenizer' : 'tokenizer_invalid';
    expect(() => openSpec({ ...bare, model: { ...spec.model, ...changes } })).toThrow(
      expect.objectContaining({ code }) as Error,
    );
  });
});
