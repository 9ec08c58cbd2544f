import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTokenizer, compileTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';

/** The tokenizer.json of a vector folder, as text. */
export function readJson(name: string): string {
  return readFileSync(join(process.cwd(), 'test', 'vectors', 'tokenizers', name, 'tokenizer.json'), 'utf8');
}

/** Opens a tokenizer.json given as an object. */
export function openSpec(spec: object): Tokenizer {
  return openTokenizer(compileTokenizer(JSON.stringify(spec)));
}

/** A byte-level tokenizer.json without merges: the ids are the bytes. `changes` replace its keys. */
export function bytesSpec(changes: object = {}): object {
  const smollm = JSON.parse(readJson('smollm')) as { model: { vocab: Record<string, number> } };
  const vocab: Record<string, number> = {};
  for (const token of Object.keys(smollm.model.vocab)) if (token.length === 1) vocab[token] = Object.keys(vocab).length;
  return {
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab, merges: [] },
    ...changes,
  };
}

/** A tokenizer that shows the words of a text: `split` gives them. */
export function wordsOf(preTokenizers: readonly object[], text: string): string[] {
  const bytes = { type: 'ByteLevel', add_prefix_space: false, use_regex: false };
  const prefixed = { ...bytes, add_prefix_space: true };
  const open = (last: object): Tokenizer =>
    openSpec(bytesSpec({ pre_tokenizer: { type: 'Sequence', pretokenizers: [...preTokenizers, last] } }));
  const plain = open(bytes);
  const marked = open(prefixed);
  // Each word gains a space in the second, unless it begins with one: find where by walking both.
  const units = plain.decode(plain.encode(text));
  const spaced = marked.decode(marked.encode(text));
  const words: string[] = [];
  for (let i = 0, j = 0; i < units.length; i++, j++) {
    if (units[i] !== spaced[j]) {
      words.push('');
      j++;
    } else if (i === 0) words.push('');
    words[words.length - 1] += units[i] ?? '';
  }
  return words;
}
