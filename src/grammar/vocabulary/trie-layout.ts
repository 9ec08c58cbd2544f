import type { Trie } from './build-trie.js';

/** The tokens of a vocabulary by their bytes, and as a trie: flat tables over one buffer, which threads may share. */
export interface VocabularyTrie extends Trie {
  /** Token ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /**
   * [vocabSize + 1]: token `id` is `tokenBytes[tokenOffsets[id], tokenOffsets[id + 1])`; a token without bytes is never
   * allowed.
   */
  readonly tokenOffsets: Int32Array;
  readonly tokenBytes: Uint8Array;
  /** The whole trie: the input of `openTokenTrie`. */
  readonly bytes: Uint8Array;
}

/** "TTRI" and the version of the tables. */
export const MAGIC = 0x49525454;
export const TRIE_FORMAT = 1;
/** Int32 words before the tables: magic, version, checksum, vocabulary, bytes of tokens, nodes, tokens, 0. */
export const HEADER_WORDS = 8;

/** How long the tables are. */
export interface TrieCounts {
  readonly vocabSize: number;
  readonly numBytes: number;
  readonly numNodes: number;
  readonly numTokens: number;
}

/** Bytes of the whole. */
export function trieBytes({ vocabSize, numBytes, numNodes, numTokens }: TrieCounts): number {
  return 4 * (HEADER_WORDS + vocabSize + 1 + 2 * numNodes + 1 + numTokens) + 3 * numNodes + numBytes;
}

/** The tables in `bytes`, which begin at a multiple of 4. */
export function viewsOf(bytes: Uint8Array, { vocabSize, numBytes, numNodes, numTokens }: TrieCounts): VocabularyTrie {
  let place = bytes.byteOffset + 4 * HEADER_WORDS;
  const words = (length: number): Int32Array => {
    place += 4 * length;
    return new Int32Array(bytes.buffer, place - 4 * length, length);
  };
  const tokenOffsets = words(vocabSize + 1);
  const nodeEnds = words(numNodes);
  const firstTokens = words(numNodes + 1);
  const tokens = words(numTokens);
  const nodeDepths = new Uint16Array(bytes.buffer, place, numNodes);
  const nodeBytes = new Uint8Array(bytes.buffer, place + 2 * numNodes, numNodes);
  const tokenBytes = new Uint8Array(bytes.buffer, place + 3 * numNodes, numBytes);
  return { vocabSize, tokenOffsets, nodeEnds, firstTokens, tokens, nodeDepths, nodeBytes, tokenBytes, bytes };
}

/** Writes the header, when the tables are there. `addWords`: a faster one over the same bytes. */
export function writeHeader(bytes: Uint8Array, counts: TrieCounts, addWords?: AddWords): void {
  const { vocabSize, numBytes, numNodes, numTokens } = counts;
  const header = new Int32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS);
  header.set([MAGIC, TRIE_FORMAT, sumOf(bytes, addWords), vocabSize, numBytes, numNodes, numTokens, 0]);
}

/** A sum with the words `[from, to)` of the bytes that are summed up. */
type AddWords = (sum: number, from: number, to: number) => number;

/** FNV-1a over the words after the header and the remaining bytes (G. Fowler, L. C. Noll, K.-P. Vo). */
export function sumOf(bytes: Uint8Array, addWords: AddWords = wordAdder(bytes)): number {
  const numWords = Math.floor(bytes.length / 4);
  let sum = addWords(0x811c9dc5, HEADER_WORDS, numWords);
  for (let i = 4 * numWords; i < bytes.length; i++) sum = Math.imul(sum ^ (bytes[i] as number), 0x01000193);
  return sum | 0;
}

function wordAdder(bytes: Uint8Array): AddWords {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4));
  return (start, from, to) => {
    let sum = start;
    for (let i = from; i < to; i++) sum = Math.imul(sum ^ (words[i] as number), 0x01000193);
    return sum;
  };
}
