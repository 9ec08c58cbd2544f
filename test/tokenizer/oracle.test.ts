import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileTokenizer, loadTokenizer, openTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';

interface Cases {
  readonly cases: readonly {
    text: string;
    ids: number[];
    ids_special: number[];
    decoded: string;
    decoded_skip: string;
  }[];
  readonly decode_cases: readonly { ids: number[]; decoded: string; decoded_skip: string }[];
}

const vectors = join(process.cwd(), 'test', 'vectors', 'tokenizers');
const oracle = join(process.cwd(), '..', 'shared', 'oracle');
const names = ['gpt2', 'bytelevel-prefix', 'llama3', 'qwen2', 'o200k', 'deepseek', 'starcoder2', 'smollm', 'addedmix'];

const folders = [
  ...readdirSync(vectors).map((name) => join(vectors, name)),
  ...names.map((name) => join(oracle, 'tokenizers', name)),
].filter((folder) => existsSync(join(folder, 'cases.json')));

describe.each(folders)('%s', (folder) => {
  const { cases, decode_cases } = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as Cases;
  const loaded = loadTokenizer(folder);

  it('has cases', () => {
    expect(cases.length).toBeGreaterThan(50);
    expect(decode_cases.length).toBeGreaterThan(10);
  });

  it('gives the recorded ids, with and without special tokens', async () => {
    const tokenizer = await loaded;
    for (const { text, ids, ids_special } of cases) {
      expect(tokenizer.encode(text, { addSpecialTokens: false }), JSON.stringify(text)).toEqual(ids);
      expect(tokenizer.encode(text), JSON.stringify(text)).toEqual(ids_special);
    }
  });

  it('decodes to the recorded texts, whole and in a stream, and ids of a padded model that name no token to nothing', () => {
    const file = compileTokenizer(readFileSync(join(folder, 'tokenizer.json'), 'utf8'));
    const tokenizer = openTokenizer(file, undefined, 2 ** 20);
    for (const { ids, decoded, decoded_skip } of [...cases, ...decode_cases]) {
      expect(tokenizer.decode(ids)).toBe(decoded);
      expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe(decoded_skip);
      expect(streamed(tokenizer, ids)).toBe(decoded);
    }
  });

  it('is the same after a way through tokenizer.bin at an odd place of its buffer', () => {
    const file = compileTokenizer(readFileSync(join(folder, 'tokenizer.json'), 'utf8'));
    const moved = new Uint8Array(file.length + 3).subarray(3);
    moved.set(file);
    const tokenizer = openTokenizer(moved);
    for (const { text, ids } of cases.slice(0, 30)) {
      expect(tokenizer.encode(text, { addSpecialTokens: false })).toEqual(ids);
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

function streamed(tokenizer: Tokenizer, ids: readonly number[]): string {
  const detokenizer = tokenizer.createDetokenizer();
  const deltas = [...ids.flatMap((id) => detokenizer.push(id)), ...detokenizer.flush()];
  return deltas.map((delta) => delta.special ?? delta.text).join('');
}
