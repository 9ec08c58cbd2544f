import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileTokenizer, loadTokenizer, openTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';

/** `hf_ids`, `hf_decoded`: what tokenizer.json gives where the others are those of sentencepiece and differ. */
interface Cases {
  readonly ids_from?: 'sentencepiece' | 'tokenizers';
  readonly cases: readonly {
    text: string;
    ids: number[];
    ids_special: number[];
    hf_ids?: number[];
    decoded: string;
    decoded_skip: string;
  }[];
  readonly decode_cases: readonly { ids: number[]; decoded: string; decoded_skip: string; hf_decoded?: string }[];
}

const vectors = join(process.cwd(), 'test', 'vectors', 'tokenizers');
const oracle = join(process.cwd(), '..', 'shared', 'oracle');
const names = [
  'gpt2',
  'bytelevel-prefix',
  'llama3',
  'qwen2',
  'o200k',
  'deepseek',
  'starcoder2',
  'smollm',
  'addedmix',
  'llama2',
  'mistral-v01',
  'phi3',
  'llama-metaspace',
  'gemma',
  'spm-bpe',
  'spm-unigram',
  't5-unigram',
  'xlmr-unigram',
  'unigram-bytes',
];

const folders = [
  ...readdirSync(vectors).map((name) => join(vectors, name)),
  ...names.map((name) => join(oracle, 'tokenizers', name)),
].filter((folder) => existsSync(join(folder, 'cases.json')) && existsSync(join(folder, 'tokenizer.json')));

describe.each(folders)('%s', (folder) => {
  const { cases, decode_cases, ids_from } = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as Cases;
  const file = compileTokenizer(readFileSync(join(folder, 'tokenizer.json'), 'utf8'));
  const isOwn = ids_from !== 'sentencepiece';

  it('has cases', () => {
    expect(cases.length).toBeGreaterThan(50);
    expect(decode_cases.length).toBeGreaterThan(10);
  });

  it('gives the recorded ids, with and without special tokens', async () => {
    const tokenizer = await loadTokenizer(folder);
    for (const { text, ids, hf_ids, ids_special } of cases) {
      expect(tokenizer.encode(text, { addSpecialTokens: false }), JSON.stringify(text)).toEqual(hf_ids ?? ids);
      if (isOwn) expect(tokenizer.encode(text), JSON.stringify(text)).toEqual(ids_special);
    }
  });

  it('decodes to the recorded texts, and ids of a padded model that name no token to nothing', () => {
    const tokenizer = openTokenizer(file, undefined, 2 ** 20);
    for (const { ids, decoded, decoded_skip } of isOwn ? [...cases, ...decode_cases] : []) {
      expect(tokenizer.decode(ids)).toBe(decoded);
      expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe(decoded_skip);
    }
    for (const { ids, decoded, hf_decoded } of decode_cases) {
      expect(tokenizer.decode(ids)).toBe(hf_decoded ?? decoded);
    }
  });

  it('decodes in a stream to the same, and inside a text to the bytes of its tokens', () => {
    const tokenizer = openTokenizer(file, undefined, 2 ** 20);
    const isBytes = decode_cases.every(({ ids, decoded }) => streamed(tokenizer, ids) === decoded);
    for (const { ids } of [...cases, ...decode_cases]) {
      const decoded = tokenizer.decode(ids);
      // Of byte tokens that are no UTF-8, decoding gives up more than a stream that has given out some can.
      if (isBytes || !decoded.includes('\ufffd')) expect(streamed(tokenizer, ids)).toBe(decoded);
      const bytes = Buffer.concat(ids.map((id) => tokenizer.tokenBytes(id)));
      expect(streamed(tokenizer, ids, true)).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    }
  });

  it('is the same after a way through tokenizer.bin at an odd place of its buffer', () => {
    const moved = new Uint8Array(file.length + 3).subarray(3);
    moved.set(file);
    const tokenizer = openTokenizer(moved);
    for (const { text, ids, hf_ids } of cases.slice(0, 30)) {
      expect(tokenizer.encode(text, { addSpecialTokens: false })).toEqual(hf_ids ?? ids);
    }
  });
});

const expected = join(oracle, 'models', 'tokenizer.expected.json');

describe.skipIf(!existsSync(expected))('the tokenizer of the oracle models', () => {
  it('gives the recorded ids and texts', async () => {
    const { vocab_size, cases, chats } = JSON.parse(readFileSync(expected, 'utf8')) as {
      vocab_size: number;
      cases: { text: string; ids: number[]; decoded: string; decoded_without_specials: string }[];
      chats: { text: string; ids: number[] }[];
    };
    const tokenizer = await loadTokenizer(join(oracle, 'models', 'llama3'));
    expect(tokenizer.vocabSize).toBe(vocab_size);
    for (const each of cases) {
      expect(tokenizer.encode(each.text)).toEqual(each.ids);
      expect(tokenizer.decode(each.ids)).toBe(each.decoded);
      expect(tokenizer.decode(each.ids, { skipSpecialTokens: true })).toBe(each.decoded_without_specials);
    }
    expect(chats.length).toBeGreaterThan(0);
    for (const { text, ids } of chats) expect(tokenizer.encode(text)).toEqual(ids);
  });
});

function streamed(tokenizer: Tokenizer, ids: readonly number[], continues = false): string {
  const detokenizer = tokenizer.createDetokenizer({ continues });
  const told: Uint8Array[] = [];
  const deltas = ids.flatMap((id) => {
    told.push(detokenizer.bytesOf(id));
    return detokenizer.push(id);
  });
  const text = [...deltas, ...detokenizer.flush()].map((delta) => delta.special ?? delta.text).join('');
  expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(told))).toBe(text);
  return text;
}
