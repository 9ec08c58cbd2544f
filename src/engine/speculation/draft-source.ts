/**
 * A text as the source of its own draft tokens: what followed the same few tokens before may follow them again.
 * Each token that is generated tells whether the draft token at it would have been right, made or not, so that how far draft tokens
 * can be trusted is learned from all of them. Source: prompt lookup decoding (Saxena 2023); SuffixDecoding
 * (arXiv 2411.04975), which trusts a longer match more.
 */

import type { AcceptanceRates } from './acceptance-rates.js';
import { FEWEST_ALIKE, matchLength, PromptLookup } from './prompt-lookup.js';

/** A copy with changes goes on beside its source: so many tokens past the last match it is still followed. */
const DRIFT = 6;
/** What was put in or left out by a change moves the rest of the copy by so many tokens at most: further off it is another place. */
const MAX_SHIFT = 4;

/** Tokens that may follow. */
export interface Draft {
  readonly tokenIds: readonly number[];
  /** How likely each of them is right where all before it are. */
  readonly rates: readonly number[];
}

/** Draft tokens for one sequence. */
export class DraftSource {
  readonly #promptLength: number;
  readonly #lookup = new PromptLookup();
  readonly #rates: AcceptanceRates;
  #numRead = 0;
  /** How far back the last match lies, and how many tokens there were then. */
  #distance = 0;
  #matchedAt = -Infinity;

  /** Draft tokens are judged by the tokens from `promptLength` on, since a prompt may be less or more repetitive than what is made of it. */
  constructor(promptLength: number, rates: AcceptanceRates) {
    this.#promptLength = promptLength;
    this.#rates = rates;
  }

  /** Reads what was appended to `tokenIds`, and drafts at most `limit` tokens after them. */
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
   * Where the tokens lie that followed what is most like the end: the text that was copied until lately, unless more
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

/** Where a copy goes on that was at `start`: there, or a few tokens beside it where more tokens match. */
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
