import { createTokenMask, allowToken, type TokenMask } from '../token-mask.js';
import type { VocabularyTrie } from '../vocabulary/index.js';

/** Of a token or a part of a trie that is not plain text, or is too long. */
export const NOT_PLAIN = 255;

/** UTF-8 by the bytes that may come (RFC 3629, section 4): `[first, last, state that follows]`; a character ends in state 0. */
export const UTF8: readonly (readonly (readonly [first: number, last: number, next: number])[])[] = [
  [
    [0x20, 0x21, 0],
    [0x23, 0x5b, 0],
    [0x5d, 0x7e, 0],
    [0xc2, 0xdf, 1],
    [0xe0, 0xe0, 3],
    [0xe1, 0xec, 2],
    [0xed, 0xed, 4],
    [0xee, 0xef, 2],
    [0xf0, 0xf0, 6],
    [0xf1, 0xf3, 5],
    [0xf4, 0xf4, 7],
  ],
  [[0x80, 0xbf, 0]],
  [[0x80, 0xbf, 1]],
  [[0xa0, 0xbf, 1]],
  [[0x80, 0x9f, 1]],
  [[0x80, 0xbf, 2]],
  [[0x90, 0xbf, 2]],
  [[0x80, 0x8f, 2]],
];

/**
 * Which tokens are plain text: whole characters of UTF-8, without control characters, quotes and backslashes. Most are, and
 * within a string of JSON, or any text that is as free, they need not be looked at one by one.
 */
export class PlainTextTokens {
  readonly #trie: VocabularyTrie;
  /** [vocabSize]: characters of each token, or NOT_PLAIN. */
  readonly #lengths: Uint8Array;
  /** [nodes]: characters of the longest token of each part of the trie; NOT_PLAIN where one is not plain. */
  readonly longest: Uint8Array;
  readonly #masks = new Map<number, TokenMask>();

  constructor(trie: VocabularyTrie) {
    this.#trie = trie;
    const { vocabSize, tokenOffsets, tokenBytes, nodeEnds, firstTokens, tokens } = trie;
    this.#lengths = new Uint8Array(vocabSize);
    for (let id = 0; id < vocabSize; id++) {
      this.#lengths[id] = countCharacters(tokenBytes, tokenOffsets[id] as number, tokenOffsets[id + 1] as number);
    }
    this.longest = new Uint8Array(nodeEnds.length);
    for (let node = nodeEnds.length - 1; node >= 0; node--) {
      let longest = 0;
      for (let i = firstTokens[node] as number; i < (firstTokens[node + 1] as number); i++) {
        longest = Math.max(longest, this.#lengths[tokens[i] as number] as number);
      }
      for (let child = node + 1; child < (nodeEnds[node] as number); child = nodeEnds[child] as number) {
        longest = Math.max(longest, this.longest[child] as number);
      }
      this.longest[node] = longest;
    }
  }

  /** The plain tokens of at most `length` characters; not to be written to. */
  mask(length: number): TokenMask {
    const known = this.#masks.get(length);
    if (known !== undefined) return known;
    const mask = createTokenMask(this.#trie.vocabSize);
    for (const id of this.#trie.tokens) if ((this.#lengths[id] as number) <= length) allowToken(mask, id);
    this.#masks.set(length, mask);
    return mask;
  }
}

/** Characters of a plain text, NOT_PLAIN for any other and for one as long. */
function countCharacters(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  let state = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    const edge = UTF8[state]?.find(([first, last]) => byte >= first && byte <= last);
    if (edge === undefined) return NOT_PLAIN;
    state = edge[2];
    if (state === 0) count++;
  }
  return state === 0 && count < NOT_PLAIN ? count : NOT_PLAIN;
}
