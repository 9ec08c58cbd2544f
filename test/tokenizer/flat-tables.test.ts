import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinedText, joinTexts, TextJoiner } from '../../src/base/index.js';
import { createByteAlphabet } from '../../src/tokenizer/tokens/byte-alphabet.js';
import { compileTokenizer, compileTokenizerSpec } from '../../src/tokenizer/index.js';
import { addReplaced, replaceBytes } from '../../src/tokenizer/text/replace-bytes.js';
import { TokenContents } from '../../src/tokenizer/tokens/token-contents.js';
import { readJson } from './sample.js';

interface BytesSpec {
  readonly model: { readonly vocab: Record<string, number>; readonly merges: (string | string[])[] };
}

const contents = fc.array(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 60 });

describe('the contents of a vocabulary', () => {
  it.each(['first', 'last'] as const)('are found as in a map that keeps the %s of equal ones', (kept) => {
    fc.assert(
      fc.property(contents, fc.array(fc.string({ unit: 'binary', maxLength: 3 })), (texts, others) => {
        const twin = new Map<string, number>();
        for (const [id, text] of texts.entries()) if (kept === 'last' || !twin.has(text)) twin.set(text, id);
        const flat = new TokenContents(joinTexts(texts), undefined, kept);
        expect([...flat.ids].map((id) => [flat.contentOf(id), id])).toEqual([...twin]);
        for (const text of [...texts, ...others]) expect(flat.idOf(text)).toBe(twin.get(text));
        expect(texts.map((_, id) => flat.has(id))).toEqual(texts.map((_, id) => [...twin.values()].includes(id)));
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it('have the ids that they are given', () => {
    const flat = new TokenContents(joinTexts(['b', 'a']), Int32Array.of(7, 3));
    expect([flat.idOf('b'), flat.idOf('a'), flat.contentOf(3), flat.contentOf(4), flat.idLimit]).toEqual([
      7,
      3,
      'a',
      undefined,
      8,
    ]);
  });
});

describe('a byte-level tokenizer', () => {
  it.each(['smollm', 'qwen2'])('of %s becomes the same bytes from joined texts as from tokenizer.json', (name) => {
    const spec = JSON.parse(readJson(name)) as BytesSpec;
    const byId = Object.entries(spec.model.vocab).toSorted(([, a], [, b]) => a - b);
    const vocab = Object.fromEntries(byId.map(([content], id) => [content, id]));
    const added = { added_tokens: [] };
    const whole = { ...spec, ...added, model: { ...spec.model, vocab } };
    const merges = spec.model.merges.map((merge) => (typeof merge === 'string' ? merge : merge.join(' ')));
    const texts = { vocab: joinTexts(byId.map(([content]) => content)), merges: joinTexts(merges) };
    const joined = compileTokenizerSpec({ ...spec, ...added, model: { ...spec.model, ...texts } });
    expect(Buffer.from(joined).equals(Buffer.from(compileTokenizer(JSON.stringify(whole))))).toBe(true);
  });

  it.each([
    ['no space', 'ab', 'is no pair of tokens'],
    ['two spaces', 'a b c', 'is no pair of tokens'],
    ['an unknown part', 'a x', 'is not in the vocabulary'],
    ['nothing that it makes', 'b a', 'is not in the vocabulary'],
  ])('refuses a merge with %s', (_, merge, why) => {
    const { model, ...rest } = JSON.parse(readJson('smollm')) as BytesSpec;
    const compile = (vocab: unknown, merges: unknown): Uint8Array =>
      compileTokenizerSpec({ ...rest, added_tokens: [], model: { ...model, vocab, merges } });
    expect(() => compile(joinTexts(['a', 'b', 'ab']), joinTexts(['a b', merge]))).toThrow(
      `model.merges[1]: ${why}`.replace(': is not', ': a part of it, or its result, is not'),
    );
    expect(() => compile({ a: 0, b: 1, ab: 2 }, ['a b', merge])).toThrow('model.merges[1]');
  });

  it('refuses tokens and merges with half a surrogate pair, as JSON readers of the reference do', () => {
    const spec = JSON.parse(readJson('smollm')) as BytesSpec;
    const compile = (vocab: object, merges: object): Uint8Array =>
      compileTokenizerSpec({ ...spec, added_tokens: [], model: { ...spec.model, vocab, merges } });
    expect(() => compile({ a: 0, '\ud800': 1 }, [])).toThrow('half a surrogate pair');
    expect(() => compile({ a: 0 }, ['a \udc00'])).toThrow('is no pair of tokens');
  });
});

describe('a tokenizer.json that names a model of sentencepiece', () => {
  it.each([
    ['no pieces', undefined],
    ['an object', {}],
    ['lists', { contents: { bytes: [], offsets: [] }, scores: [], types: [] }],
    ['a list of pieces', [['a', 0, 1]]],
  ])('with %s is refused', (_, pieces) => {
    const spec = { decoder: { type: 'SentencePiece' }, model: { type: 'SentencePieceBPE', pieces } };
    expect(() => compileTokenizer(JSON.stringify(spec))).toThrow('model.pieces: is ');
  });
});

describe('bytes', () => {
  it('of the alphabet are read from UTF-8 as from a string', () => {
    const { charOf, bytesOf, readBytes } = createByteAlphabet();
    const token = fc
      .array(fc.oneof(fc.constantFrom(...charOf), fc.constantFrom('\u0144', '▁', '😀', ' ', '\u00ad')))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(token, (text) => {
        const utf8 = Buffer.from(`..${text}`);
        const out = new Uint8Array(utf8.length + 3);
        const count = readBytes(utf8, 2, utf8.length, out, 3);
        const twin = bytesOf(text);
        expect(count < 0 ? undefined : [...out.subarray(3, 3 + count)]).toEqual(
          twin?.regular ? [...twin.bytes] : undefined,
        );
      }),
      { numRuns: 1_000, seed: 3 },
    );
  });

  it('are replaced as in strings', () => {
    const text = fc.array(fc.constantFrom('▁', 'a', 'aa', 'ab', '\u2580', '😀', ' ')).map((parts) => parts.join(''));
    const pair = fc.constantFrom(['▁', ' '], ['aa', 'b'], ['ab', ''], ['a', '▁▁'], ['😀', 'x']);
    fc.assert(
      fc.property(text, pair, (whole, [from = '', to = '']) => {
        const utf8 = Buffer.from(whole);
        const out = new Uint8Array(utf8.length * 7 + 1);
        const count = replaceBytes(utf8, 0, utf8.length, Buffer.from(from), Buffer.from(to), out, 1);
        expect(Buffer.from(out.subarray(1, 1 + count)).toString()).toBe(whole.replaceAll(from, to));
      }),
      { numRuns: 1_000, seed: 3 },
    );
  });

  it('of a run of texts are copied, and replaced, as those of each', () => {
    const text = fc.array(fc.constantFrom('▁', 'a', 'aa', 'ab', '\u2580', '😀')).map((parts) => parts.join(''));
    const pair = fc.constantFrom(['▁', ' '], ['aa', 'b'], ['ab', ''], ['a', 'b'], ['😀', 'x']);
    fc.assert(
      fc.property(fc.array(text), fc.array(text), fc.array(text), pair, (before, run, behind, [from = '', to = '']) => {
        const all = joinTexts([...before, ...run, ...behind]);
        const joiner = new TextJoiner(2 * run.length + 1);
        joiner.addAll(all, before.length, before.length + run.length);
        joiner.add(Buffer.from('between'), 0, 7);
        addReplaced(all, before.length, before.length + run.length, Buffer.from(from), Buffer.from(to), joiner);
        const joined = joiner.join();
        const replaced = run.map((each) => each.replaceAll(from, to));
        const expected = [...run, 'between', ...replaced];
        expect(expected.map((_, i) => joinedText(joined, i))).toEqual(expected);
      }),
      { numRuns: 500, seed: 3 },
    );
  });
});
