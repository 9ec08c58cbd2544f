/**
 * A text as the source of its own draft tokens: the tokens that followed the same few tokens before may follow them
 * again. Each generated token shows whether a draft token at its position would have been right, made or not. So the
 * rates are learned from all of them. Source: prompt lookup decoding (Saxena 2023); SuffixDecoding (arXiv 2411.04975),
 * which trusts a longer match more.
 */

import type { AcceptanceRates } from './acceptance-rates.js';
import { FEWEST_ALIKE, matchLength, PromptLookup } from './prompt-lookup.js';

/** A copy with changes goes on beside its source: it is still followed this many tokens past the last match. */
const DRIFT = 6;
/** An insertion or omission moves the rest of the copy by this many tokens at most: beyond it is another position. */
const MAX_SHIFT = 4;

/** Tokens that may follow. */
export interface Draft {
  readonly tokenIds: readonly number[];
  /** The probability that each of them is right where all before it are. */
  readonly rates: readonly number[];
}

/** Draft tokens for one sequence. */
export class DraftSource {
  readonly #promptLength: number;
  readonly #lookup = new PromptLookup();
  readonly #rates: AcceptanceRates;
  #numRead = 0;
  /** Distance back to the last match, and the number of tokens then. */
  #distance = 0;
  #matchedAt = -Infinity;

  /** Draft tokens are judged from `promptLength` on, since a prompt may be less or more repetitive than its answer. */
  constructor(promptLength: number, rates: AcceptanceRates) {
    this.#promptLength = promptLength;
    this.#rates = rates;
  }

  /** Reads the tokens appended to `tokenIds`, and drafts at most `limit` tokens after them. */
  draft(tokenIds: readonly number[], limit: number): Draft {
    this.#read(tokenIds);
    const start = this.#sourceOf(tokenIds, tokenIds.length);
    if (start === undefined || limit < 1) return { tokenIds: [], rates: [] };
    const matched = matchLength(tokenIds, start, tokenIds.length);
    const drafted = tokenIds.slice(start, start + limit);
    // Each right draft token makes the match longer.
    return { tokenIds: drafted, rates: drafted.map((_, i) => this.#rates.of(matched + i)) };
  }

  #read(tokenIds: readonly number[]): void {
    for (; this.#numRead < tokenIds.length; this.#numRead++) {
      const at = this.#numRead;
      if (at >= this.#promptLength) this.#judge(tokenIds, at);
      this.#lookup.add(tokenIds, at);
    }
  }

  /** Whether the draft token for position `at` was right. */
  #judge(tokenIds: readonly number[], at: number): void {
    const start = this.#sourceOf(tokenIds, at);
    if (start === undefined) return;
    this.#rates.learn(matchLength(tokenIds, start, at), tokenIds[start] === tokenIds[at]);
  }

  /**
   * The position of the tokens that followed the text most similar to the end: the recently copied text, unless more
   * tokens match elsewhere.
   */
  #sourceOf(tokenIds: readonly number[], end: number): number | undefined {
    const copy = end - this.#matchedAt <= DRIFT ? besideCopy(tokenIds, end - this.#distance, end) : undefined;
    const copied = copy === undefined ? 0 : matchLength(tokenIds, copy, end);
    const other = this.#lookup.mostAlike(tokenIds, end, copied);
    const start = other ?? copy;
    if (start !== undefined && (other !== undefined || copied >= FEWEST_ALIKE)) {
      this.#distance = end - start;
      this.#matchedAt = end;
    }
    return start;
  }
}

/** Where a copy at `start` goes on: there, or a few tokens beside it where more tokens match. */
function besideCopy(tokenIds: readonly number[], start: number, end: number): number {
  let best = start;
  let most = matchLength(tokenIds, start, end);
  if (most >= FEWEST_ALIKE) return start;
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
