import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTokenizer, openTokenizer } from '../../src/tokenizer/index.js';
import { bytesSpec, openSpec, readJson } from './sample.js';

const token = (id: number, content: string, flags: object = {}): object => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
  ...flags,
});
const NFKC_LOWERCASE = { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Lowercase' }] };
const bare = { addSpecialTokens: false };

describe('a control token', () => {
  const tokenizer = openSpec(
    bytesSpec({
      added_tokens: [
        token(300, '<s>'),
        token(301, '<s>[I]'),
        token(302, '<tool>', { special: false }),
        token(303, '[M]', { lstrip: true, rstrip: true }),
        token(304, 'W', { single_word: true }),
        token(305, '😀'),
      ],
    }),
  );
  const encode = (text: string, plain?: 'everywhere' | readonly number[]) => tokenizer.encode(text, { ...bare, plain });
  const controlsOf = (ids: readonly number[]): number[] => ids.filter((id) => id >= 300);

  it('is text where an offset lies inside of it, and nowhere else', () => {
    expect(controlsOf(encode('<s>a<s>b<s>'))).toEqual([300, 300, 300]);
    expect(encode('<s>a<s>', [5])).toEqual([300, ...encode('a<s>', 'everywhere')]);
    for (const outside of [0, 3, 4, 7]) expect(encode('<s>a<s>', [outside])).toEqual(encode('<s>a<s>'));
  });

  it('is the shorter one where only the longer one is text', () => {
    expect(encode('<s>[I]')).toEqual([301]);
    expect(encode('<s>[I]', [4])).toEqual([300, ...encode('[I]', 'everywhere')]);
  });

  it('is text everywhere on request, and decodes to what it was', () => {
    const text = 'a<s>[I] [M] W 😀<s>';
    expect(controlsOf(encode(text, 'everywhere'))).toEqual([]);
    expect(tokenizer.decode(encode(text, 'everywhere'))).toBe(text);
  });

  it('of one character is text where both its ends are given', () => {
    expect(encode('a😀', [1])).toEqual(encode('a😀'));
    expect(controlsOf(encode('a😀', [1, 3]))).toEqual([]);
  });

  it('is what the tokenizer marks special, and what it was told of', () => {
    expect(encode('<tool>', 'everywhere')).toEqual([302]);
    const spec = bytesSpec({ added_tokens: [token(302, '<tool>', { special: false })] });
    const told = openTokenizer(compileTokenizer(JSON.stringify(spec)), () => ['<tool>']);
    expect(controlsOf(told.encode('<tool>', { ...bare, plain: 'everywhere' }))).toEqual([]);
  });

  it('is no word of a model that takes whole words from its vocabulary', () => {
    const spec = bytesSpec({ added_tokens: [] }) as { model: { vocab: Record<string, number> } };
    const vocab = { ...spec.model.vocab, STOP: 290 };
    const whole = openSpec({
      ...spec,
      added_tokens: [token(290, 'STOP')],
      model: { ...spec.model, vocab, ignore_merges: true },
    });
    expect(whole.encode('STOP', bare)).toEqual([290]);
    expect(whole.encode('STOP', { ...bare, plain: 'everywhere' })).toHaveLength(4);
  });
});

describe('a control token sought in the normalised text', () => {
  const tokenizer = openSpec(
    bytesSpec({
      normalizer: NFKC_LOWERCASE,
      added_tokens: [token(300, '<s>', { normalized: true }), token(301, '<Ab>', { normalized: true, rstrip: true })],
    }),
  );
  const controlsOf = (text: string, plain?: readonly number[]): number[] =>
    tokenizer.encode(text, { ...bare, plain }).filter((id) => id >= 300);

  it('is text where normalising makes it, and a control token where it is written', () => {
    expect(controlsOf('<s>A <S> ＜s＞<Ab>')).toEqual([300, 300, 300, 301]);
    expect(controlsOf('<s>A <S> ＜s＞<Ab>', [])).toEqual([300, 301]);
  });

  it('keeps its place behind text that normalising makes longer or shorter', () => {
    expect(controlsOf('ﬃ№<s>e\u0301<S>ﬃ<s>', [])).toEqual([300, 300]);
    expect(controlsOf('ﬃ№<s>e\u0301<S>ﬃ<s>', [3])).toEqual([300]);
  });

  it('is found beside noncharacters of the text, also when it has all of them', () => {
    const all = [...Array.from({ length: 32 }, (_, i) => 0xfdd0 + i), 0xfffe, 0xffff];
    const text = `ﬃ${String.fromCharCode(...all)}<s>A<S>`;
    expect(controlsOf(text, [])).toEqual([300]);
    expect(controlsOf(`ﬃ\ufdd0<s>A<S>`, [])).toEqual([300]);
  });
});

it.each(['addedmix', 'qwen2', 'llama3', 'deepseek', 'smollm', 'bytelevel-prefix'])(
  'text of the special tokens of %s is encoded as if the tokenizer had none',
  (name) => {
    const spec = JSON.parse(readJson(name)) as { added_tokens: { content: string; special: boolean; id: number }[] };
    const special = spec.added_tokens.filter((each) => each.special);
    const ids = new Set(special.map(({ id }) => id));
    const tokenizer = openTokenizer(compileTokenizer(readJson(name)));
    const without = openTokenizer(
      compileTokenizer(JSON.stringify({ ...spec, added_tokens: spec.added_tokens.filter((each) => !each.special) })),
    );
    const piece = fc.oneof(
      fc.constantFrom(...special.map(({ content }) => content)),
      fc.constantFrom(' ', '\n', 'hello', 'é', '<', '|>', 'ﬃ'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const plain = tokenizer.encode(text, { ...bare, plain: 'everywhere' });
        expect(plain.filter((id) => ids.has(id))).toEqual([]);
        expect(plain).toEqual(without.encode(text, bare));
      }),
      { numRuns: 200, seed: 29 },
    );
  },
);
