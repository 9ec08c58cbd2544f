/**
 * Speculation without a second model: what followed the same few tokens before may follow them again. Guesses go through
 * the model together with the token they follow, and every token is still sampled from the model's own logits, so that the
 * tokens are the same with it and without. Source: prompt lookup decoding (Saxena 2023); SuffixDecoding (arXiv 2411.04975).
 */

import { present } from '../base/index.js';
import type { Sequence } from './sequence.js';

/** Guesses in a step at most: about as many rows as a decode step can take along for what one costs (performance.md 2.3). */
export const MAX_DRAFTS = 4;
/** Tokens that must have been seen together before: two match by chance, three mostly for a reason. */
const NGRAM = 3;
/** How likely a first guess is taken to be right. */
const FIRST_HOPE = 0.7;
/** Weight of the newest guess in a sequence's hope. */
const NEWEST = 0.15;
/** Hope returns by so much with each guess that was not made, so that a text which begins to repeat is noticed. */
const RECOVERY = 0.004;
/** Weight of the newest step in the running mean of its cost. */
const NEWEST_COST = 0.2;

/** Gauges of speculation. */
export interface SpeculationStats {
  readonly drafted: number;
  readonly accepted: number;
}

interface History {
  /** Where the tokens lie that followed each n-gram last. */
  readonly followers: Map<number, number>;
  indexed: number;
  hope: number;
}

/** Guesses for sequences that run alone, and learns what they are worth. One for each engine. */
export class Speculation {
  readonly #vocabSize: number;
  readonly #histories = new WeakMap<Sequence, History>();
  /** Mean milliseconds of a step of so many rows; index 0 is not used. */
  readonly #costMs: (number | undefined)[] = [];
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
    const history = this.#historyOf(sequence);
    this.#index(history, sequence.tokenIds);
    const most = Math.min(limit, MAX_DRAFTS);
    const start = history.followers.get(this.#keyAt(sequence.tokenIds, sequence.tokenIds.length));
    if (start === undefined || most < 1) return [];
    const found = sequence.tokenIds.slice(start, start + most);
    const count = this.#worthwhile(history.hope, found.length);
    if (count === 0) history.hope += RECOVERY * (FIRST_HOPE - history.hope);
    return found.slice(0, count);
  }

  /** Says how many of the guesses were right, and what the step cost. */
  learn(sequence: Sequence, drafted: number, accepted: number): void {
    const history = this.#historyOf(sequence);
    this.#drafted += drafted;
    this.#accepted += accepted;
    // Guesses behind a wrong one say nothing.
    for (let i = 0; i < Math.min(accepted + 1, drafted); i++) {
      history.hope += NEWEST * ((i < accepted ? 1 : 0) - history.hope);
    }
  }

  /** A step of one sequence with `rows` rows took `elapsedMs`. */
  learnCost(rows: number, elapsedMs: number): void {
    const known = this.#costMs[rows];
    this.#costMs[rows] = known === undefined ? elapsedMs : known * (1 - NEWEST_COST) + elapsedMs * NEWEST_COST;
  }

  /** The number of guesses that gives most tokens a millisecond; an unknown cost is taken to be that of one row. */
  #worthwhile(hope: number, available: number): number {
    const single = this.#costMs[1];
    if (single === undefined) return 0;
    let best = 0;
    let bestRate = 1 / single;
    for (let count = 1, tokens = 1, chance = 1; count <= available; count++) {
      chance *= hope;
      tokens += chance;
      const rate = tokens / (this.#costMs[count + 1] ?? single);
      if (rate <= bestRate) continue;
      best = count;
      bestRate = rate;
    }
    return best;
  }

  /** Tells the index of n-grams that have a follower since it was last told. */
  #index(history: History, tokenIds: readonly number[]): void {
    for (; history.indexed < tokenIds.length; history.indexed++) {
      if (history.indexed >= NGRAM) history.followers.set(this.#keyAt(tokenIds, history.indexed), history.indexed);
    }
  }

  /** The n-gram that ends before `end`, as one number; −1 when there are not enough tokens. Exact below 2^17 tokens of vocabulary, else rarely another's. */
  #keyAt(tokenIds: readonly number[], end: number): number {
    if (end < NGRAM) return -1;
    let key = 0;
    for (let i = end - NGRAM; i < end; i++) {
      key = (key * this.#vocabSize + present(tokenIds[i], 'index in range')) % Number.MAX_SAFE_INTEGER;
    }
    return key;
  }

  #historyOf(sequence: Sequence): History {
    const known = this.#histories.get(sequence);
    if (known !== undefined) return known;
    const fresh: History = { followers: new Map(), indexed: 0, hope: FIRST_HOPE };
    this.#histories.set(sequence, fresh);
    return fresh;
  }
}
