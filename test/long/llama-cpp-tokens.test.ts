// Token ids beside llama.cpp: four kinds of vocabularies in GGUF files, three of them published, 2,000 texts each.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findPeerPython } from '../../bench/peers/llama-cpp/python.js';
import { findRealModel } from '../../bench/peers/llama-cpp/real-models.js';
import { findSmolLm2 } from '../../bench/peers/llama-cpp/smollm2.js';
import { askPeerForIds, openFileTokenizer, textsWith, writeVocabulary } from '../../bench/peers/llama-cpp/tokens.js';

const root = process.cwd();
const peer = await findPeerPython(root);
const python = 'python' in peer ? peer.python : '';
const scratch = mkdtempSync(join(tmpdir(), 'llama-cpp-tokens-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Words that are control tokens in one vocabulary and text in the others. No `</s>` and no `▁`: test/vectors/gguf/SOURCE.md. */
const WORDS = ['<unk>', '<s>', '<bos>', '<eos>', '<pad>', '<0x0A>', '<|im_start|>', '<|im_end|>', '<|endoftext|>'];
const MOST_WORDS = 60;

async function pathOf(found: Promise<{ path: string } | { reason: string }>): Promise<string> {
  const file = await found;
  if ('reason' in file) throw new Error(file.reason);
  return file.path;
}

function writeLlama2(): Promise<string> {
  const path = join(scratch, 'llama2.gguf');
  writeFileSync(
    path,
    writeVocabulary(readFileSync(join(root, 'test/vectors/tokenizers/llama2/tokenizer.model')), 'llama'),
  );
  return Promise.resolve(path);
}

describe.skipIf('reason' in peer)(`beside llama.cpp${'reason' in peer ? `: skipped, ${peer.reason}` : ''}`, () => {
  it.each([
    ['sentencepiece as of Llama 2', writeLlama2],
    ['Gemma 3', () => pathOf(findRealModel('gemma3-270m-q4_k_m.gguf', root))],
    ['Qwen2.5', () => pathOf(findRealModel('qwen2.5-coder-0.5b-instruct-q4_k_m.gguf', root))],
    ['SmolLM2', () => pathOf(findSmolLm2(root))],
  ])(
    'the vocabulary of %s gives 2,000 texts the same ids, control tokens parsed and as text',
    { timeout: 1_800_000 },
    async (_, find) => {
      const path = await find();
      const tokenizer = await openFileTokenizer(path);
      const controls = tokenizer.addedTokens.filter(({ special }) => special).map(({ content }) => content);
      const texts = textsWith([...WORDS, ...controls.slice(0, MOST_WORDS)], 2_000, 47);
      const ids = await askPeerForIds(python, path, root, texts);
      const differing = texts.flatMap((text, index) => {
        const parsed = tokenizer.encode(text, { addSpecialTokens: false });
        const plain = tokenizer.encode(text, { addSpecialTokens: false, plain: 'everywhere' });
        const isSame = [parsed, plain].every(
          (ours, way) => JSON.stringify(ours) === JSON.stringify([ids.parsed, ids.plain][way]?.[index]),
        );
        return isSame ? [] : [text];
      });
      expect(differing).toEqual([]);
    },
  );
});
