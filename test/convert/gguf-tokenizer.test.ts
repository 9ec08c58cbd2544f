import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bool, f32, list, text, u32, type TypedValue } from '../../bench/gguf/gguf-writer.js';
import { openArtifact } from '../../src/artifact/index.js';
import { convertCheckpoint } from '../../src/convert/index.js';
import { openTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';
import { readModelFile } from '../../src/tokenizer/sentencepiece/model-file.js';
import { oneLayer } from './one-layer.js';

const vectors = join(process.cwd(), 'test/vectors/tokenizers');
const folders = readdirSync(vectors).filter((name) => existsSync(join(vectors, name, 'tokenizer.model')));

let parent = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'gguf-tokenizer-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const i32 = (value: number): TypedValue => ({ type: 'i32', value });

/** The tokenizer of a GGUF file with this metadata, the way from the file to an artifact. */
async function convert(metadata: Record<string, TypedValue | null>, rows: number): Promise<Tokenizer> {
  const source = join(parent, 'm.gguf');
  const none = { 'tokenizer.ggml.pre': null, 'tokenizer.ggml.merges': null };
  writeFileSync(source, oneLayer({ ...none, ...metadata }, '', [], 'Q4_1', rows));
  const { notices } = await convertCheckpoint({ source, out: join(parent, 'a') });
  expect(notices).toEqual([]);
  await using artifact = await openArtifact(join(parent, 'a'));
  return openTokenizer(await artifact.readFile('tokenizer.bin'));
}

/** What llama.cpp's converter writes of a tokenizer.model. */
function metadataOf(file: Uint8Array): Record<string, TypedValue> {
  const model = readModelFile(file);
  const { pieces } = model;
  return {
    'tokenizer.ggml.model': text(model.kind === 'BPE' ? 'llama' : 't5'),
    'tokenizer.ggml.tokens': list(
      pieces.map(({ content, type }) => text(type === 4 ? content.replaceAll('▁', ' ') : content)),
    ),
    'tokenizer.ggml.scores': list(pieces.map(({ score }) => f32(score))),
    'tokenizer.ggml.token_type': list(pieces.map(({ type }) => i32(type))),
    'tokenizer.ggml.bos_token_id': u32(model.bosId),
    'tokenizer.ggml.eos_token_id': u32(model.eosId),
    'tokenizer.ggml.unknown_token_id': u32(pieces.findIndex(({ type }) => type === 2)),
    'tokenizer.ggml.add_bos_token': bool(true),
    'tokenizer.ggml.add_eos_token': bool(false),
    'tokenizer.ggml.add_space_prefix': bool(model.addDummyPrefix),
    'tokenizer.ggml.remove_extra_whitespaces': bool(model.removeExtraWhitespaces),
    ...(model.charsmap.length > 0 && { 'tokenizer.ggml.precompiled_charsmap': list([...model.charsmap].map(i32)) }),
  };
}

interface Cases {
  readonly ids_from: string;
  readonly cases: readonly { text: string; ids: number[]; spm_ids?: number[]; ids_special: number[] }[];
  readonly decode_cases: readonly { ids: number[]; decoded: string }[];
}

describe('a GGUF file with tokens of sentencepiece', () => {
  it.each(folders)('made of %s/tokenizer.model has the ids and the texts of sentencepiece', async (name) => {
    const { cases, decode_cases, ids_from } = JSON.parse(
      readFileSync(join(vectors, name, 'cases.json'), 'utf8'),
    ) as Cases;
    const file = readFileSync(join(vectors, name, 'tokenizer.model'));
    const tokenizer = await convert(metadataOf(file), readModelFile(file).pieces.length);
    for (const { text: each, ids, spm_ids = ids, ids_special } of cases) {
      const plain = { plain: 'everywhere' } as const;
      expect(tokenizer.encode(each, { addSpecialTokens: false, ...plain }), JSON.stringify(each)).toEqual(spm_ids);
      expect(tokenizer.encode(each, plain)).toEqual([ids_special[0], ...spm_ids]);
    }
    // The unknown token is a control token of llama.cpp's, which is left out; sentencepiece has a text for it.
    const unknown = readModelFile(file).pieces.findIndex(({ type }) => type === 2);
    const known = decode_cases.filter(({ ids }) => !ids.includes(unknown));
    expect(known.length).toBeGreaterThan(decode_cases.length / 2);
    for (const { ids, decoded } of ids_from === 'sentencepiece' ? known : []) {
      expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe(decoded);
    }
  });

  it('of Llama 2 has the ids of llama.cpp, control tokens and <unk> parsed, and as text', async () => {
    const file = readFileSync(join(vectors, 'llama2', 'tokenizer.model'));
    const tokenizer = await convert(metadataOf(file), readModelFile(file).pieces.length);
    const cases = JSON.parse(readFileSync(join(process.cwd(), 'test/vectors/gguf/llama2-ids.json'), 'utf8')) as {
      readonly text: string;
      readonly parsed: readonly number[];
      readonly plain: readonly number[];
    }[];
    expect(cases.filter(({ parsed }) => parsed.includes(0)).length).toBeGreaterThan(5);
    for (const { text: each, parsed, plain } of cases) {
      expect(tokenizer.encode(each, { addSpecialTokens: false }), each).toEqual(parsed);
      expect(tokenizer.encode(each, { addSpecialTokens: false, plain: 'everywhere' }), each).toEqual(plain);
    }
  });

  const tokens = ['<unk>', '<s>', '</s>', '▁', 'a', 'b', 'ab', '[INST]', 'note'];
  const own = {
    'tokenizer.ggml.model': text('llama'),
    'tokenizer.ggml.tokens': list(tokens.map(text)),
    'tokenizer.ggml.scores': list([0, 0, 0, -1, -2, -3, -4, 0, 0].map(f32)),
    'tokenizer.ggml.token_type': list([2, 3, 3, 1, 1, 1, 1, 3, 4].map(i32)),
    'tokenizer.ggml.bos_token_id': u32(1),
    'tokenizer.ggml.eos_token_id': u32(2),
    'tokenizer.ggml.add_bos_token': null,
  };

  it('begins a text with its token and a space unless it says otherwise, and takes control tokens for what they are', async () => {
    const tokenizer = await convert(own, 9);
    expect(tokenizer.encode('ab')).toEqual([1, 3, 6]);
    expect(tokenizer.encode('[INST]ab</s>')).toEqual([1, 7, 3, 6, 2]);
    expect(tokenizer.encode('anoteb', { addSpecialTokens: false })).toEqual([3, 4, 8, 5]);
    expect(tokenizer.decode([1, 3, 6, 8, 3, 4], { skipSpecialTokens: true })).toBe('abnote a');
    expect(tokenizer.addedTokens.filter(({ special }) => special).map(({ content }) => content)).toEqual([
      '<unk>',
      '<s>',
      '</s>',
      '[INST]',
    ]);
    const other = { 'tokenizer.ggml.add_space_prefix': bool(false), 'tokenizer.ggml.add_eos_token': bool(true) };
    rmSync(join(parent, 'a'), { recursive: true });
    expect((await convert({ ...own, ...other }, 9)).encode('ab')).toEqual([1, 6, 2]);
  });

  it('without types knows the tokens by their ids and by what they look like', async () => {
    const tokenizer = await convert({ ...own, 'tokenizer.ggml.token_type': null }, 9);
    expect(tokenizer.encode('ab</s>x')).toEqual([1, 3, 6, 2, 3, 0]);
  });

  it.each<[string, Record<string, TypedValue | null>, RegExp]>([
    ['no scores', { 'tokenizer.ggml.scores': null }, /no tokenizer\.ggml\.scores/],
    ['scores of some', { 'tokenizer.ggml.scores': list([f32(0)]) }, /1 tokenizer\.ggml\.scores for 9 tokens/],
    ['types of some', { 'tokenizer.ggml.token_type': list([i32(2)]) }, /1 tokenizer\.ggml\.token_type for 9 tokens/],
  ])('with %s is refused', async (_, change, why) => {
    await expect(convert({ ...own, ...change }, 9)).rejects.toMatchObject({
      code: 'checkpoint_invalid',
      message: expect.stringMatching(why) as string,
    });
  });
});
