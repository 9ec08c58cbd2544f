import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeSlowly, openSpec, readJson } from './sample.js';
import { expectWithin } from '../support/elapsed.js';

interface TextSpec {
  model: { vocab: Record<string, number>; merges: (string | string[])[] };
}

/** The slow twin: the whole text at once. */
function createSlowMerger({ model }: TextSpec): (text: string) => number[] {
  const pairs = model.merges.map((each) => (typeof each === 'string' ? each : each.join(' ')));
  const ranks = new Map(pairs.map((pair, rank) => [pair, rank]));
  const idsOf = (part: string): number[] => {
    const id = model.vocab[part];
    if (id !== undefined) return [id];
    return [...Buffer.from(part)].map(
      (byte) => model.vocab[`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`] ?? -1,
    );
  };
  return (text) => mergeSlowly([...text], ranks).flatMap(idsOf);
}

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(' ', '  ', '    ', '▁', '\n', 'the', ' lighthouse', ' keeper', 'é', '中', '😀', '\u0000', 'a', 'Ж'),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  ),
  { minLength: 1, maxLength: 60 },
);

describe('BPE over text', () => {
  it.each(['llama2', 'gemma'])(
    '%s: words that are cut out and remembered give the ids of the text as a whole',
    (name) => {
      const spec = { ...(JSON.parse(readJson(name)) as TextSpec), added_tokens: [], post_processor: null };
      const tokenizer = openSpec(spec);
      const slowly = createSlowMerger(spec);
      const prefix = name === 'llama2' ? '▁' : '';
      fc.assert(
        fc.property(pieces, (parts) => {
          const text = parts.join('').toWellFormed();
          expect(tokenizer.encode(text)).toEqual(text === '' ? [] : slowly(prefix + text.replaceAll(' ', '▁')));
        }),
        { numRuns: 400, seed: 21 },
      );
    },
  );

  it('a word is not parted where a token has two words', () => {
    const model = {
      type: 'BPE',
      unk_token: '<unk>',
      fuse_unk: true,
      vocab: { '<unk>': 0, '▁': 1, a: 2, b: 3, 'a▁': 4, 'a▁b': 5, '▁b': 6 },
      merges: ['a ▁', 'a▁ b', '▁ b'],
    };
    const normalizer = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
    const decoder = { type: 'Metaspace', prepend_scheme: 'never' };
    const tokenizer = openSpec({ added_tokens: [], normalizer, pre_tokenizer: null, decoder, model });
    expect(tokenizer.encode('a b')).toEqual([5]);
    expect(tokenizer.encode('b b')).toEqual([3, 6]);
    expect(tokenizer.encode('xy z b')).toEqual([0, 1, 0, 6]);
    expect(tokenizer.decode([5, 6])).toBe('a b b');
  });

  it('an unknown character that has not all of its bytes waits for the next known one, as in the reference', () => {
    const open = (fuse_unk: boolean): ReturnType<typeof openSpec> =>
      openSpec({
        added_tokens: [],
        normalizer: null,
        pre_tokenizer: null,
        decoder: { type: 'ByteFallback' },
        model: {
          type: 'BPE',
          byte_fallback: true,
          unk_token: '?',
          fuse_unk,
          vocab: { '?': 0, a: 1, '<0x62>': 2 },
          merges: [],
        },
      });
    expect(open(true).encode('xyba')).toEqual([2, 0, 1]);
    expect(open(false).encode('xyba')).toEqual([0, 2, 0, 1]);
    expect(open(false).encode('xx')).toEqual([0, 0]);
  });

  it.each([
    ['letters without a space', 'etaoinsh'.repeat(131_072)],
    ['spaces', ' '.repeat(1 << 20)],
    ['characters without a token', '\u{1f600}'.repeat(1 << 18)],
    ['words', 'the lighthouse keeper went '.repeat(40_000)],
  ])('a megabyte of %s takes seconds at most', (_, text) => {
    const tokenizer = openSpec(JSON.parse(readJson('llama2')) as object);
    const start = performance.now();
    const ids = tokenizer.encode(text);
    expectWithin(15_000, start);
    expect(tokenizer.decode(ids, { skipSpecialTokens: true }) === text).toBe(true);
  });
});

describe('tokens of text', () => {
  it('have the bytes that a constraint sees: a space for ▁, and the byte of a byte token', () => {
    const tokenizer = openSpec(JSON.parse(readJson('llama2')) as object);
    const bytesOf = (content: string): number[] => [...tokenizer.tokenBytes(tokenizer.tokenToId(content) ?? -1)];
    expect(bytesOf('▁the')).toEqual([...Buffer.from(' the')]);
    expect(bytesOf('<0xE2>')).toEqual([0xe2]);
    expect(bytesOf('<s>')).toEqual([...Buffer.from('<s>')]);
    expect(tokenizer.tokenToId(' the')).toBeUndefined();
  });

  it('lose their space at the beginning of a text, and keep it where the text has begun', () => {
    const tokenizer = openSpec(JSON.parse(readJson('llama2')) as object);
    const id = tokenizer.tokenToId('▁the') ?? -1;
    const fresh = tokenizer.createDetokenizer();
    expect([fresh.bytesOf(id), fresh.push(id), fresh.push(id)]).toEqual([
      new Uint8Array(Buffer.from('the')),
      [{ text: 'the' }],
      [{ text: ' the' }],
    ]);
    expect(fresh.flush()).toEqual([]);
    expect(fresh.push(id)).toEqual([{ text: 'the' }]);
    expect(tokenizer.createDetokenizer({ continues: true }).push(id)).toEqual([{ text: ' the' }]);
  });

  it('join a character of byte tokens in a stream as soon as it is whole', () => {
    const tokenizer = openSpec(JSON.parse(readJson('llama2')) as object);
    const detokenizer = tokenizer.createDetokenizer();
    const push = (byte: string): string =>
      detokenizer
        .push(tokenizer.tokenToId(`<0x${byte}>`) ?? -1)
        .map(({ text }) => text)
        .join('');
    expect(['F0', '9F', '98', '80', 'E2', '82'].map(push)).toEqual(['', '', '', '😀', '', '']);
    expect(detokenizer.flush()).toEqual([{ text: '\ufffd' }]);
  });
});
