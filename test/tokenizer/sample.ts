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

/** A function that shows the words which the pre-tokenizers make of a text without spaces. */
export function createWordsOf(preTokenizers: readonly object[]): (text: string) => string[] {
  const open = (add_prefix_space: boolean): Tokenizer => {
    const last = { type: 'ByteLevel', add_prefix_space, use_regex: false };
    return openSpec(bytesSpec({ pre_tokenizer: { type: 'Sequence', pretokenizers: [...preTokenizers, last] } }));
  };
  const plain = open(false);
  const spaced = open(true); // gives each word a space in front, which shows where it begins
  return (text) => {
    const units = plain.decode(plain.encode(text));
    const marked = spaced.decode(spaced.encode(text));
    const words: string[] = [];
    for (let i = 0, j = 0; i < units.length; i++, j++) {
      if (marked[j] !== units[i]) {
        words.push('');
        j++;
      }
      words[words.length - 1] += units[i] ?? '';
    }
    return words;
  };
}

/** The words of one text. */
export function wordsOf(preTokenizers: readonly object[], text: string): string[] {
  return createWordsOf(preTokenizers)(text);
}

/** The code of the error that `run` throws; `none` when it throws none. */
export function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return 'none';
}

/** The slow twin of merging: looks at every pair each time. `ranks`: "left right" → rank. */
export function mergeSlowly(characters: readonly string[], ranks: ReadonlyMap<string, number>): string[] {
  const parts = [...characters];
  for (;;) {
    let best = -1;
    let lowest = Infinity;
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;
      if (rank < lowest) [lowest, best] = [rank, i];
    }
    if (best < 0) return parts;
    parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`);
  }
}
