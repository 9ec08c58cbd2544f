import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pickTokenizer } from '../../../src/convert/gguf/tokenizer-metadata.js';
import { compileSource } from '../../../src/convert/tokenizer-source.js';
import { openTokenizer, type Tokenizer } from '../../../src/tokenizer/index.js';
import { readModelFile } from '../../../src/tokenizer/sentencepiece/model-file.js';
import { randomAt, randomKey } from '../../../src/base/index.js';
import { openGguf } from '../../../src/weights/index.js';
import { generateTexts } from '../tokenizers/texts.js';
import { bool, encodeHeader, f32, list, text, u32, type TypedValue } from '../../gguf/gguf-writer.js';

/** Ids of texts, as llama.cpp makes them: with control tokens parsed, and with all of a text as text. */
export interface PeerIds {
  readonly parsed: readonly (readonly number[])[];
  readonly plain: readonly (readonly number[])[];
}

/** The tokenizer of the GGUF file at `path`, whose weights are not read. */
export async function openFileTokenizer(path: string): Promise<Tokenizer> {
  const gguf = await openGguf(path);
  try {
    const { bytes, missing } = compileSource({ kind: 'gguf', metadata: pickTokenizer(gguf.metadata, basename(path)) });
    if (bytes === null) throw new Error(missing);
    return openTokenizer(bytes);
  } finally {
    await gguf.close();
  }
}

/** Asks llama.cpp, through llama-cpp-python of the interpreter `python`. */
export async function askPeerForIds(
  python: string,
  path: string,
  root: string,
  texts: readonly string[],
): Promise<PeerIds> {
  const child = spawn(python, [join(root, 'bench/peers/llama-cpp/tokens.py'), path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ texts }));
  const [answer, [code]] = await Promise.all([json(child.stdout).catch(() => undefined), once(child, 'close')]);
  if (code !== 0 || answer === undefined) throw new Error(`llama.cpp failed on ${path} (exit code ${String(code)})`);
  return answer as PeerIds;
}

/** A GGUF file without weights, with the vocabulary of a tokenizer.model, as llama.cpp's converter writes it. */
export function writeVocabulary(file: Uint8Array, architecture: string): Buffer {
  const model = readModelFile(file);
  const { pieces } = model;
  const i32 = (value: number): TypedValue => ({ type: 'i32', value });
  const metadata = Object.fromEntries<TypedValue>([
    ['general.architecture', text(architecture)],
    ['tokenizer.ggml.model', text(model.kind === 'BPE' ? 'llama' : 't5')],
    [
      'tokenizer.ggml.tokens',
      list(pieces.map(({ content, type }) => text(type === 4 ? content.replaceAll('▁', ' ') : content))),
    ],
    ['tokenizer.ggml.scores', list(pieces.map(({ score }) => f32(score)))],
    ['tokenizer.ggml.token_type', list(pieces.map(({ type }) => i32(type)))],
    ['tokenizer.ggml.bos_token_id', u32(model.bosId)],
    ['tokenizer.ggml.eos_token_id', u32(model.eosId)],
    ['tokenizer.ggml.unknown_token_id', u32(pieces.findIndex(({ type }) => type === 2))],
    ['tokenizer.ggml.add_space_prefix', bool(model.addDummyPrefix)],
  ]);
  return encodeHeader({ metadata, tensors: [] });
}

/** `count` texts of all scripts, the same for the same seed; in each fourth stands one of `words`, alone or twice. */
export function textsWith(words: readonly string[], count: number, seed: number): string[] {
  const key = randomKey(seed);
  let counter = 0;
  const below = (limit: number): number => Math.floor(randomAt(key, counter++) * limit);
  return generateTexts(count, seed).map((each, index) => {
    if (index % 4 !== 0) return each;
    const [characters, word] = [Array.from(each), words[below(words.length)] ?? ''];
    return characters.toSpliced(below(characters.length + 1), 0, index % 8 === 0 ? word + word : word).join('');
  });
}
