/**
 * Speculative decoding without a second model: draft tokens go through the model together with the token before them.
 * Every token is still sampled from the model's own logits, so the tokens are the same with and without.
 */

import { DraftSource } from './draft-source.js';
import { AcceptanceRates } from './acceptance-rates.js';
import type { Sequence } from '../sequence.js';
import { StepCosts } from './step-costs.js';

/**
 * Limit of draft tokens in a step: about as many rows as a decode step can add at the cost of one
 * (bench/log/draft-tokens.md).
 */
export const MAX_DRAFTS = 4;
/**
 * Draft tokens must promise this many times the tokens per cost of a step without drafts: both are estimates, and prose
 * repeats itself by chance.
 */
const WORTHWHILE = 1.05;

/** Gauges of speculation. */
export interface SpeculationStats {
  /** Tokens that were drafted. */
  readonly drafted: number;
  /** Of these, the ones that were right. */
  readonly accepted: number;
}

/** Draft tokens for sequences that run alone, and their benefit. One for each engine. */
export class Speculation {
  readonly #sources = new WeakMap<Sequence, DraftSource>();
  readonly #rates = new ScopedAcceptanceRates();
  readonly #costs = new StepCosts();
  #drafted = 0;
  #accepted = 0;

  get stats(): SpeculationStats {
    return { drafted: this.#drafted, accepted: this.#accepted };
  }

  /** Draft tokens, at most `limit`: as many as are worth their cost. */
  draft(sequence: Sequence, limit: number): readonly number[] {
    const { tokenIds, rates } = this.#sourceOf(sequence).draft(sequence.tokenIds, Math.min(limit, MAX_DRAFTS));
    return tokenIds.slice(0, this.#worthwhile(rates));
  }

  /** Counts how many of the last draft tokens were right. */
  count(drafted: number, accepted: number): void {
    this.#drafted += drafted;
    this.#accepted += accepted;
  }

  /** A step of one sequence with `rows` rows took `elapsedMs`. */
  learnCost(rows: number, elapsedMs: number): void {
    this.#costs.learn(rows, elapsedMs);
  }

  /** The number of draft tokens that gives most tokens for its cost; none before a step was timed. */
  #worthwhile(rates: readonly number[]): number {
    if (!this.#costs.isKnown) return 0;
    let best = 0;
    let bestRate = WORTHWHILE;
    let tokens = 1;
    let allRight = 1;
    for (const [at, rate] of rates.entries()) {
      allRight *= rate;
      tokens += allRight;
      const tokensPerCost = tokens / this.#costs.of(at + 2);
      if (tokensPerCost <= bestRate) continue;
      best = at + 1;
      bestRate = tokensPerCost;
    }
    return best;
  }

  #sourceOf(sequence: Sequence): DraftSource {
    const known = this.#sources.get(sequence);
    if (known !== undefined) return known;
    const source = new DraftSource(
      sequence.promptLength,
      new AcceptanceRates(this.#rates.of(sequence.request.cacheScope)),
    );
    this.#sources.set(sequence, source);
    return source;
  }
}

/** Limit of scopes with rates; others begin anew. Each takes a kilobyte. */
const MAX_SCOPES = 256;

/** Learned acceptance rates, separate for each scope: the quality of drafts reveals something of their text. */
export class ScopedAcceptanceRates {
  readonly #common = new AcceptanceRates();
  /** The least recently used first. */
  readonly #byScope = new Map<string, AcceptanceRates>();

  /** The rates learned from the texts of a scope; texts without one share theirs. */
  of(scope: string | undefined): AcceptanceRates {
    if (scope === undefined) return this.#common;
    const rates = this.#byScope.get(scope) ?? new AcceptanceRates();
    this.#byScope.delete(scope);
    this.#byScope.set(scope, rates);
    const [oldest] = this.#byScope.keys();
    if (this.#byScope.size > MAX_SCOPES && oldest !== undefined) this.#byScope.delete(oldest);
    return rates;
  }
}
