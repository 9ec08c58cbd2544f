import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTokenizerModel, loadTokenizer, openTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';
import { bytePieces, writeModel, type WrittenPiece } from './model-writer.js';
import { codeOf } from './sample.js';

/** `ids` are those of sentencepiece unless `spm_ids` has others. */
interface Cases {
  readonly ids_from: string;
  readonly cases: readonly {
    text: string;
    ids: number[];
    spm_ids?: number[];
    ids_special: number[];
    decoded: string;
  }[];
  readonly decode_cases: readonly { ids: number[]; decoded: string }[];
}

const vectors = join(process.cwd(), 'test', 'vectors', 'tokenizers');
const oracle = join(process.cwd(), '..', 'shared', 'oracle', 'tokenizers');
const folders = [vectors, ...(existsSync(oracle) ? [oracle] : [])]
  .flatMap((root) => readdirSync(root).map((name) => join(root, name)))
  .filter((folder) => existsSync(join(folder, 'tokenizer.model')));

const open = (pieces: readonly WrittenPiece[], trainer = {}, normalizer = {}, config = {}): Tokenizer =>
  openTokenizer(compileTokenizerModel(writeModel({ pieces, trainer, normalizer }), config));

describe.each(folders)('%s/tokenizer.model', (folder) => {
  const { cases, decode_cases, ids_from } = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as Cases;
  const tokenizer = openTokenizer(
    compileTokenizerModel(readFileSync(join(folder, 'tokenizer.model'))),
    undefined,
    2 ** 20,
  );

  it('gives the ids of sentencepiece, to which control tokens are letters', () => {
    expect(cases.length).toBeGreaterThan(50);
    for (const { text, ids, spm_ids = ids, ids_special } of cases) {
      const plain = { plain: 'everywhere' } as const;
      expect(tokenizer.encode(text, { addSpecialTokens: false, ...plain }), JSON.stringify(text)).toEqual(spm_ids);
      expect(tokenizer.encode(text, plain)).toEqual([ids_special[0], ...spm_ids]);
    }
  });

  it.skipIf(ids_from !== 'sentencepiece')(
    'decodes to the texts of sentencepiece, which leaves control tokens out',
    () => {
      for (const { ids, decoded } of [...cases, ...decode_cases]) {
        expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe(decoded);
      }
    },
  );
});

describe('a model of sentencepiece', () => {
  const letters: readonly WrittenPiece[] = [
    ['<unk>', 0, 2],
    ['<s>', 0, 3],
    ['</s>', 0, 3],
    ['▁', -1],
    ['a', -2],
    ['b', -3],
  ];

  it('joins the pair of the best score, the leftmost of equals', () => {
    const pieces: readonly WrittenPiece[] = [...letters, ['aa', -4], ['ab', -4], ['ba', -4], ['aab', -1]];
    const { encode } = open(pieces, { 3: 2, 35: 0 }, { 3: 0, 4: 0 }, { add_bos_token: false });
    expect(encode('aba')).toEqual([7, 4]);
    expect(encode('aaa')).toEqual([6, 4]);
    expect(encode('aab')).toEqual([9]);
    expect(encode('aaab')).toEqual([6, 7]);
  });

  it('takes an unused token apart again, as it was put together', () => {
    const pieces: readonly WrittenPiece[] = [...letters, ['ab', -4, 5], ['aba', -5], ['bb', -6]];
    const { encode } = open(pieces, { 3: 2 }, { 3: 0, 4: 0 }, { add_bos_token: false });
    expect(encode('ab')).toEqual([4, 5]);
    expect(encode('aba')).toEqual([7]);
    expect(encode('abb')).toEqual([4, 5, 5]);
  });

  it('has one unknown token for neighbours, and the tokens of bytes where it has them', () => {
    const { encode, decode } = open(letters, { 3: 2 }, { 3: 1, 4: 0 }, { add_bos_token: false });
    expect(encode('axyb é')).toEqual([3, 4, 0, 5, 3, 0]);
    expect(decode([3, 4, 0, 5])).toBe('a \u2047 b');
    const bytes = open([...letters, ...bytePieces], { 3: 2, 35: 1 }, { 3: 1, 4: 0 });
    expect(bytes.encode('é')).toEqual([1, 3, 6 + 0xc3, 6 + 0xa9]);
    expect(bytes.decode([3, 6 + 0xc3, 6 + 0x41])).toBe('\ufffdA');
  });

  it('takes its ids around a text and its added tokens from tokenizer_config.json', () => {
    const config = {
      add_bos_token: false,
      add_eos_token: true,
      eos_token: { content: '</s>' },
      added_tokens_decoder: {
        0: { content: '<unk>', special: true },
        6: { content: '<|user|>', special: true, rstrip: true },
        7: { content: '<note>', special: false },
      },
    };
    const tokenizer = open(letters, { 3: 2 }, { 3: 1, 4: 0 }, config);
    expect(tokenizer.encode('<|user|>\na<note>b')).toEqual([6, 3, 4, 7, 3, 5, 2]);
    expect(tokenizer.decode([6, 4, 7], { skipSpecialTokens: true })).toBe('a<note>');
    expect(open(letters, { 3: 1 }, {}, { tokenizer_class: 'T5Tokenizer' }).encode('a')).toEqual([3, 4, 2]);
    expect(codeOf(() => open(letters, {}, {}, { tokenizer_class: 'XLMRobertaTokenizer' }))).toBe(
      'unsupported_tokenizer',
    );
  });

  it('reads a user-defined token as text where the caller says so, though it is sought in the normalised text', () => {
    const pieces: readonly WrittenPiece[] = [...letters, ['<b>', 0, 4], ['<', -5], ['>', -5]];
    for (const spaces of [
      { 3: 0, 4: 0 },
      { 3: 1, 4: 0 },
      { 3: 1, 4: 1 },
    ]) {
      const file = compileTokenizerModel(writeModel({ pieces, trainer: { 3: 2 }, normalizer: spaces }));
      const { encode } = openTokenizer(file, () => ['<b>']);
      const prefix = spaces[3] === 1 ? [1, 3] : [1];
      expect(encode('<b>a <b>')).toEqual([...prefix, 6, 4, 3, 6]);
      expect(encode('<b>a <b>', { plain: [1] })).toEqual([...prefix, 7, 5, 8, 4, 3, 6]);
      expect(encode('<b>a <b>', { plain: [6] })).toEqual([...prefix, 6, 4, 3, 7, 5, 8]);
      expect(encode('<b>a <b>', { plain: 'everywhere' })).toEqual([...prefix, 7, 5, 8, 4, 3, 7, 5, 8]);
    }
  });

  it('ends a run of byte tokens at a control token', () => {
    const { decode } = open([...letters, ...bytePieces], { 3: 2, 35: 1 }, { 3: 1, 4: 0 });
    expect(decode([6 + 0xc3, 2, 6 + 0xa9], { skipSpecialTokens: true })).toBe('\ufffd\ufffd');
    expect(decode([6 + 0xc3, 6 + 0xa9], { skipSpecialTokens: true })).toBe('é');
  });

  it('drops spaces at the ends and in a row where its normalizer does', () => {
    const { encode, decode } = open(letters, { 3: 2 }, { 3: 1, 4: 1 }, { add_bos_token: false });
    expect(encode('  a   b ')).toEqual([3, 4, 3, 5]);
    expect(encode('   ')).toEqual([]);
    expect(decode([3, 3, 4, 3, 5])).toBe('a b');
  });

  it('loads from a directory without tokenizer.json', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'model-'));
    await writeFile(join(directory, 'tokenizer.model'), writeModel({ pieces: letters, trainer: { 3: 2 } }));
    expect((await loadTokenizer(directory)).encode('a')).toEqual([1, 3, 4]);
    await writeFile(join(directory, 'tokenizer_config.json'), '{"add_bos_token": false}');
    expect((await loadTokenizer(directory)).encode('a')).toEqual([3, 4]);
    await rm(directory, { recursive: true });
  });

  it.each<[string, string, () => unknown]>([
    ['no pieces', 'tokenizer_invalid', () => open([])],
    ['an empty piece', 'tokenizer_invalid', () => open([['', 0, 2]])],
    ['no unknown token', 'tokenizer_invalid', () => open([['a', 0]])],
    ['a piece of no known type', 'tokenizer_invalid', () => open([...letters, ['x', 0, 9]])],
    ['a score that is no number', 'tokenizer_invalid', () => open([...letters, ['x', NaN]])],
    ['byte fallback without bytes', 'tokenizer_invalid', () => open(letters, { 3: 2, 35: 1 })],
    ['a byte that is none', 'tokenizer_invalid', () => open([...letters, ['x', 0, 6]])],
    ['a table cut short', 'tokenizer_invalid', () => open(letters, {}, { 2: Uint8Array.of(9, 0, 0, 0, 1) })],
    ['whole words', 'unsupported_tokenizer', () => open(letters, { 3: 3 })],
    ['spaces behind words', 'unsupported_tokenizer', () => open(letters, { 24: 1 })],
    ['spaces that stay spaces', 'unsupported_tokenizer', () => open(letters, {}, { 5: 0 })],
    ['a number for bytes', 'tokenizer_invalid', () => open(letters, {}, { 2: 7 })],
    ['bytes that are not given', 'invalid_value', () => compileTokenizerModel('x' as unknown as Uint8Array)],
  ])('with %s is %s', (_, code, run) => {
    expect(codeOf(run)).toBe(code);
  });

  it('cut short anywhere is refused, or is a shorter model', () => {
    const file = writeModel({ pieces: letters, trainer: { 3: 2 }, normalizer: { 3: 1 } });
    for (let size = 0; size < file.length; size++) {
      expect(['none', 'tokenizer_invalid']).toContain(codeOf(() => compileTokenizerModel(file.subarray(0, size))));
    }
  });

  it('changed anywhere is refused, or works: 20,000 changes', () => {
    const table = readFileSync(join(vectors, 'xlmr-unigram', 'tokenizer.json'), 'utf8');
    const [, charsmap = ''] = /"precompiled_charsmap": *"([^"]+)"/.exec(table) ?? [];
    const more: readonly WrittenPiece[] = [
      ['<user>', 0, 4],
      ['ab', -4],
      ['▁a', -5, 5],
    ];
    const files = [1, 2].map((kind) =>
      writeModel({
        pieces: [...letters, ...more, ...(kind === 2 ? bytePieces : [])],
        trainer: { 3: kind, 35: kind - 1, 41: 1, 42: 2, 43: -1 },
        normalizer: { 1: 'x', 3: 1, 4: 2 - kind, ...(kind === 1 && { 2: Buffer.from(charsmap, 'base64') }) },
      }),
    );
    const change = fc.tuple(fc.nat(2 ** 30), fc.nat(255), fc.constantFrom('set', 'cut', 'insert', 'flip'));
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.array(change, { minLength: 1, maxLength: 4 }), (file, changes) => {
        let bytes = [...file];
        for (const [place, value, what] of changes) {
          const at = place % Math.max(1, bytes.length);
          if (what === 'set') bytes[at] = value;
          else if (what === 'flip') bytes[at] = (bytes[at] ?? 0) ^ (1 << (value & 7));
          else if (what === 'insert') bytes.splice(at, 0, value);
          else bytes = bytes.slice(0, at);
        }
        const code = codeOf(() => {
          const tokenizer = openTokenizer(compileTokenizerModel(Uint8Array.from(bytes)));
          tokenizer.decode(tokenizer.encode(' ab <user>é<s>  ﬁ'));
        });
        expect(['none', 'tokenizer_invalid', 'unsupported_tokenizer']).toContain(code);
      }),
      { numRuns: 20_000, seed: 31 },
    );
  });
});
