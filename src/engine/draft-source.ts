/**
 * A text as the source of guesses at its own next tokens: what followed the same few tokens before may follow them again.
 * Each token that is generated tells whether the guess at it would have been right, made or not, so that how far guesses
 * can be trusted is learned from all of them. Source: prompt lookup decoding (Saxena 2023); SuffixDecoding
 * (arXiv 2411.04975), which trusts a longer match more.
 */

import { LONG_MATCH, SURE_MATCH, type MatchChances } from './match-chances.js';

/** Tokens that must have been seen together before: two match by chance, three mostly for a reason. */
const NGRAM = 3;
/** Lengths by which places are looked up, longest first: of several places the one with more in common is meant. */
const LOOKUPS = [SURE_MATCH, 5, NGRAM] as const;
/** 2^32 over the golden ratio, the next odd number: keys of different tokens rarely meet (Knuth, TAOCP 3, 6.4). */
const KEY_FACTOR = 0x9e3779b1;
/** A copy with changes goes on beside its source: so many tokens past the last match it is still followed. */
const DRIFT = 6;
/** What was put in or left out by a change moves the rest of the copy by so many tokens at most: further off it is another place. */
const MAX_SHIFT = 4;

/** Tokens that may follow. */
export interface Guess {
  readonly tokenIds: readonly number[];
  /** How likely each of them is right where all before it are. */
  readonly chances: readonly number[];
}

/** Guesses at one sequence's tokens. */
export class DraftSource {
  readonly #promptLength: number;
  /** Where the tokens lie that followed each n-gram last; one table for each of LOOKUPS. */
  readonly #followers = LOOKUPS.map((length) => ({ length, places: new Map<number, number>() }));
  readonly #chances: MatchChances;
  #numRead = 0;
  /** How far back the last match lies, and how many tokens there were then. */
  #distance = 0;
  #matchedAt = -Infinity;

  /** Guesses are judged by the tokens from `promptLength` on, since a prompt may be less or more repetitive than what is made of it. */
  constructor(promptLength: number, chances: MatchChances) {
    this.#promptLength = promptLength;
    this.#chances = chances;
  }

  /** Reads what was appended to `tokenIds`, and guesses at most `limit` tokens after them. */
  guess(tokenIds: readonly number[], limit: number): Guess {
    this.#read(tokenIds);
    const start = this.#place(tokenIds, tokenIds.length);
    if (start === undefined || limit < 1) return { tokenIds: [], chances: [] };
    const matched = matchLength(tokenIds, start, tokenIds.length);
    const guessed = tokenIds.slice(start, start + limit);
    // Each right guess makes the match longer.
    return { tokenIds: guessed, chances: guessed.map((_, i) => this.#chances.of(matched + i)) };
  }

  #read(tokenIds: readonly number[]): void {
    for (; this.#numRead < tokenIds.length; this.#numRead++) {
      const at = this.#numRead;
      if (at >= this.#promptLength) this.#judge(tokenIds, at);
      for (const { length, places } of this.#followers) {
        const key = keyAt(tokenIds, at, length);
        if (key !== -1) places.set(key, at);
      }
    }
  }

  /** Whether the guess at token `at` was right. */
  #judge(tokenIds: readonly number[], at: number): void {
    const start = this.#place(tokenIds, at);
    if (start === undefined) return;
    this.#chances.learn(matchLength(tokenIds, start, at), tokenIds[start] === tokenIds[at]);
  }

  /**
   * Where the tokens lie that followed what is most like the end: the text that was copied until lately, unless more
   * tokens match elsewhere.
   */
  #place(tokenIds: readonly number[], end: number): number | undefined {
    let start = end - this.#matchedAt <= DRIFT ? besideCopy(tokenIds, end - this.#distance, end) : undefined;
    let matched = start === undefined ? -1 : matchLength(tokenIds, start, end);
    for (const { length, places } of this.#followers) {
      const other = length > matched ? places.get(keyAt(tokenIds, end, length)) : undefined;
      if (other === undefined) continue;
      start = other;
      matched = length;
      break;
    }
    if (start === undefined || matched < NGRAM) return start;
    this.#distance = end - start;
    this.#matchedAt = end;
    return start;
  }
}

/**
 * The `length` tokens before `end` as one number, rarely the same as that of others; −1 when there are not so many. Of 30
 * bits, which V8 keeps in a word and not in an object of their own.
 */
function keyAt(tokenIds: readonly number[], end: number, length: number): number {
  if (end < length) return -1;
  let key = 0;
  for (let i = end - length; i < end; i++) key = (Math.imul(key, KEY_FACTOR) + (tokenIds[i] as number)) | 0;
  return key & 0x3fffffff;
}

/** Where a copy goes on that was at `start`: there, or a few tokens beside it where more tokens match. */
function besideCopy(tokenIds: readonly number[], start: number, end: number): number {
  let best = start;
  let most = matchLength(tokenIds, start, end);
  if (most >= NGRAM) return start;
  for (let shift = 1; shift <= MAX_SHIFT; shift++) {
    for (const other of [start + shift, start - shift]) {
      const length = other < end ? matchLength(tokenIds, other, end) : 0;
      if (length <= most) continue;
      best = other;
      most = length;
    }
  }
  return best;
}

/** Tokens before `start` that are those before `end`, up to LONG_MATCH. */
function matchLength(tokenIds: readonly number[], start: number, end: number): number {
  let length = 0;
  while (length < LONG_MATCH && length < start && tokenIds[start - 1 - length] === tokenIds[end - 1 - length]) length++;
  return length;
}
