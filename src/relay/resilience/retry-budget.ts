import type { Clock } from '../../base/index.js';
import { SlidingCounts } from './sliding-counts.js';

/** How many retries there may be. Envoy's values. */
export interface RetryBudgetOptions {
  /** Of the requests of the window. */
  readonly share: number;
  /** Retries that are always allowed, even with few requests. */
  readonly min: number;
  readonly windowMs: number;
}

/** The options where nothing else is asked for. */
export const DEFAULT_RETRY_BUDGET: RetryBudgetOptions = { share: 0.2, min: 3, windowMs: 10_000 };

/** Limits retries to a share of all requests: they must not bury an upstream in trouble. */
export class RetryBudget {
  readonly #options: RetryBudgetOptions;
  readonly #counts: SlidingCounts;

  constructor(clock: Clock, options: RetryBudgetOptions = DEFAULT_RETRY_BUDGET) {
    this.#options = options;
    this.#counts = new SlidingCounts(clock, options.windowMs);
  }

  /** A request came. */
  onRequest(): void {
    this.#counts.add(1, 0);
  }

  /** Takes one retry; false: none is left. */
  tryTake(): boolean {
    const [requests, retries] = this.#counts.sums();
    if (retries + 1 > Math.max(this.#options.min, requests * this.#options.share)) return false;
    this.#counts.add(0, 1);
    return true;
  }
}
