/**
 * Speculation without a second model: what followed the same few tokens before may follow them again. Guesses go through
 * the model together with the token they follow, and every token is still sampled from the model's own logits, so that the
 * tokens are the same with it and without. Source: prompt lookup decoding (Saxena 2023); SuffixDecoding (arXiv 2411.04975),
 * which trusts a longer match more.
 */

import { present } from '../base/index.js';
import type { Sequence } from './sequence.js';
import { StepCosts } from './step-costs.js';

/** Guesses in a step at most: about as many rows as a decode step can take along for what one costs (performance.md 2.3). */
export const MAX_DRAFTS = 4;
/** Tokens that must have been seen together before: two match by chance, three mostly for a reason. */
const NGRAM = 3;
/** Matches are told apart up to this length: chance makes them short, a text that repeats itself long. */
const LONG_MATCH = 8;
/** Lengths by which places are looked up, longest first: of several places the one with more in common is meant. */
const LOOKUPS = [LONG_MATCH, 5, NGRAM] as const;
/** A copy with changes goes on beside its source: so many tokens past the last match it is still followed. */
const DRIFT = 6;
/** How likely a guess is taken to be right at first: in a drift with no match, behind NGRAM tokens, behind a long match. */
const FIRST_HOPE = { drift: 0.3, short: 0.5, long: 0.95 } as const;
/** Weight of the newest guess in a hope. */
const NEWEST = 0.15;
/** Hope returns by so much with each guess that was not made, so that a text which begins to repeat is noticed. */
const RECOVERY = 0.004;

/** Guesses must promise so many times the tokens a millisecond of a step without: hopes and costs are estimates, and prose repeats itself by chance. */
const WORTHWHILE = 1.05;

/** Gauges of speculation. */
export interface SpeculationStats {
  readonly drafted: number;
  readonly accepted: number;
}

interface History {
  /** Where the tokens lie that followed each n-gram last; one table for each of LOOKUPS. */
  readonly followers: readonly Map<number, number>[];
  indexed: number;
  /** How likely a guess is right, by the length of the match before it, from 0 (in a drift) to LONG_MATCH. */
  readonly hopes: Float64Array;
  /** The length of the match behind which the last guesses were made. */
  matched: number;
  /** How far back the last match lies, and how many tokens there were then. */
  distance: number;
  matchedAt: number;
}

/** Guesses for sequences that run alone, and learns what they are worth. One for each engine. */
export class Speculation {
  readonly #vocabSize: number;
  readonly #histories = new WeakMap<Sequence, History>();
  readonly #costs = new StepCosts();
  #drafted = 0;
  #accepted = 0;

  constructor(vocabSize: number) {
    this.#vocabSize = vocabSize;
  }

  get stats(): SpeculationStats {
    return { drafted: this.#drafted, accepted: this.#accepted };
  }

  /** The tokens that may follow, at most `limit`: as many as are worth their cost. */
  draft(sequence: Sequence, limit: number): readonly number[] {
    const { tokenIds } = sequence;
    const history = this.#historyOf(sequence);
    this.#index(history, tokenIds);
    const most = Math.min(limit, MAX_DRAFTS);
    const start = this.#lookUp(history, tokenIds) ?? drift(history, tokenIds);
    if (start === undefined || most < 1) return [];
    const found = tokenIds.slice(start, start + most);
    history.matched = matchLength(tokenIds, start);
    const count = this.#worthwhile(history, found.length);
    if (count === 0) recover(history);
    return found.slice(0, count);
  }

  /** Says how many of the last guesses were right. */
  learn(sequence: Sequence, drafted: number, accepted: number): void {
    const { hopes, matched } = this.#historyOf(sequence);
    this.#drafted += drafted;
    this.#accepted += accepted;
    // Guesses behind a wrong one say nothing.
    for (let i = 0; i < Math.min(accepted + 1, drafted); i++) {
      const at = hopeIndex(matched + i);
      hopes[at] = (hopes[at] as number) * (1 - NEWEST) + (i < accepted ? NEWEST : 0);
    }
  }

  /** A step of one sequence with `rows` rows took `elapsedMs`. */
  learnCost(rows: number, elapsedMs: number): void {
    this.#costs.learn(rows, elapsedMs);
  }

  /** The number of guesses that gives most tokens a millisecond. */
  #worthwhile({ hopes, matched }: History, available: number): number {
    const { singleMs } = this.#costs;
    if (singleMs === undefined) return 0;
    let best = 0;
    let bestRate = WORTHWHILE / singleMs;
    for (let count = 1, tokens = 1, chance = 1; count <= available; count++) {
      // Each right guess makes the match longer.
      chance *= hopes[hopeIndex(matched + count - 1)] as number;
      tokens += chance;
      const rate = tokens / this.#costs.estimate(count + 1, singleMs);
      if (rate <= bestRate) continue;
      best = count;
      bestRate = rate;
    }
    return best;
  }

  /** Tells the index of n-grams that have a follower since it was last told. */
  #index(history: History, tokenIds: readonly number[]): void {
    for (; history.indexed < tokenIds.length; history.indexed++) {
      history.followers.forEach((followers, at) => {
        const key = this.#keyAt(tokenIds, history.indexed, present(LOOKUPS[at], 'a table for each length'));
        if (key !== -1) followers.set(key, history.indexed);
      });
    }
  }

  /** Where the tokens lie that followed the longest known n-gram at the end. */
  #lookUp(history: History, tokenIds: readonly number[]): number | undefined {
    for (const [at, length] of LOOKUPS.entries()) {
      const start = history.followers[at]?.get(this.#keyAt(tokenIds, tokenIds.length, length));
      if (start === undefined) continue;
      history.distance = tokenIds.length - start;
      history.matchedAt = tokenIds.length;
      return start;
    }
    return undefined;
  }

  /** The `length` tokens before `end` as one number, rarely the same as that of others; −1 when there are not so many. */
  #keyAt(tokenIds: readonly number[], end: number, length: number): number {
    if (end < length) return -1;
    let key = 0;
    for (let i = end - length; i < end; i++) {
      key = (key * this.#vocabSize + present(tokenIds[i], 'index in range')) % Number.MAX_SAFE_INTEGER;
    }
    return key;
  }

  #historyOf(sequence: Sequence): History {
    const known = this.#histories.get(sequence);
    if (known !== undefined) return known;
    const hopes = Float64Array.from({ length: LONG_MATCH + 1 }, (_, matched) => firstHope(matched));
    const followers = LOOKUPS.map(() => new Map<number, number>());
    const fresh: History = { followers, indexed: 0, hopes, matched: 0, distance: 0, matchedAt: -Infinity };
    this.#histories.set(sequence, fresh);
    return fresh;
  }
}

/** Where the text lies that was copied until lately; undefined when that is too long ago. */
function drift({ distance, matchedAt }: History, tokenIds: readonly number[]): number | undefined {
  return tokenIds.length - matchedAt <= DRIFT ? tokenIds.length - distance : undefined;
}

/** Tokens before `start` that are those at the end of `tokenIds`, up to LONG_MATCH. */
function matchLength(tokenIds: readonly number[], start: number): number {
  let length = 0;
  while (length < LONG_MATCH && length < start && tokenIds[start - 1 - length] === tokenIds.at(-1 - length)) length++;
  return length;
}

function hopeIndex(matched: number): number {
  return Math.min(matched, LONG_MATCH);
}

function firstHope(matched: number): number {
  const { drift: none, short, long } = FIRST_HOPE;
  if (matched < NGRAM) return none + ((short - none) * matched) / NGRAM;
  return short + ((long - short) * (matched - NGRAM)) / (LONG_MATCH - NGRAM);
}

/** All hopes, not only that of the guess not made: a text that is not repeated tells nothing of longer matches. */
function recover({ hopes }: History): void {
  hopes.forEach((hope, at) => {
    hopes[at] = hope + RECOVERY * (firstHope(at) - hope);
  });
}
