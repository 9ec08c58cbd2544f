/**
 * Prompt lookup: finds earlier positions of a text after the same tokens as its end. Each position links to the last
 * one before it after the same three tokens. Source: prompt lookup decoding (Saxena 2023); hash chains as in RFC 1951,
 * section 4.
 */

import { LONG_MATCH } from './acceptance-rates.js';

/** Common tokens that identify a position: two match by chance, three mostly for a reason. */
export const FEWEST_ALIKE = 3;
/** Limit of positions to compare, newest first: frequent patterns say little about the next token. */
const MAX_LOOKS = 256;
/** 2^32 over the golden ratio, the next odd number: keys of different tokens rarely meet (Knuth, TAOCP 3, 6.4). */
const KEY_FACTOR = 0x9e3779b1;

/** Earlier positions of one text that grows. */
export class PromptLookup {
  /** The newest position after each three tokens, by their key. */
  readonly #newest = new Map<number, number>();
  /** For each position the one before it with the same key; −1 without one. */
  readonly #before: number[] = [];

  /** Adds the position `at`, after the tokens before it; positions are added in order, from 0 on. */
  add(tokenIds: readonly number[], at: number): void {
    if (at < FEWEST_ALIKE) {
      this.#before.push(-1);
      return;
    }
    const key = keyAt(tokenIds, at);
    this.#before.push(this.#newest.get(key) ?? -1);
    this.#newest.set(key, at);
  }

  /** The position with the most tokens in common before it with `end`, more than `known`; of several the newest. */
  mostAlike(tokenIds: readonly number[], end: number, known: number): number | undefined {
    if (end < FEWEST_ALIKE) return undefined;
    let best: number | undefined;
    let most = Math.max(known, FEWEST_ALIKE - 1);
    let position = this.#newest.get(keyAt(tokenIds, end)) ?? -1;
    for (let looks = 0; position >= 0 && looks < MAX_LOOKS && most < LONG_MATCH; looks++) {
      const length = matchLength(tokenIds, position, end);
      if (length > most) {
        best = position;
        most = length;
      }
      position = this.#before[position] as number;
    }
    return best;
  }
}

/**
 * The three tokens before `end` as one number, with few collisions. It has 30 bits, which V8 keeps in a word without an
 * object.
 */
function keyAt(tokenIds: readonly number[], end: number): number {
  let key = 0;
  for (let i = end - FEWEST_ALIKE; i < end; i++) key = (Math.imul(key, KEY_FACTOR) + (tokenIds[i] as number)) | 0;
  return key & 0x3fffffff;
}

/** The number of equal tokens before `position` and before `end`, up to LONG_MATCH. */
export function matchLength(tokenIds: readonly number[], position: number, end: number): number {
  let length = 0;
  while (length < LONG_MATCH && length < position && tokenIds[position - 1 - length] === tokenIds[end - 1 - length])
    length++;
  return length;
}
