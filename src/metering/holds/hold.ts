// One reservation, from its admission to its settlement.

import type { Outcome } from '../ledger/hold-record.js';

/** A reservation of a request that is under way; `O`: how it ends. */
export interface Hold<O = Outcome> {
  readonly requestId: string;
  /** Completion tokens that are reserved so far, all choices together. */
  readonly grantedTokens: number;
  /**
   * Asked before bytes with so many completion tokens, counted from the answer's start, are handed on. True at once while
   * they are reserved. False: no budget has room for them, and the answer must be cut. Errors, as a rejection:
   * `metering_unavailable`.
   */
  allow(completionTokens: number): boolean | Promise<boolean>;
  /**
   * Records that the answer began, and reserves a slice beyond `completionTokens` if the budgets have room. Returns the
   * tokens reserved then. For callers that ask ahead for another thread: `allow` does it itself. Errors:
   * `metering_unavailable`.
   */
  extend(completionTokens: number): Promise<number>;
  /** Ends it, once, on every exit; resolves when that is durable. A second call returns the result of the first. */
  settle(outcome: O): Promise<void>;
}

/** The source of a hold's tokens. */
export interface HoldSource<O = Outcome> {
  readonly requestId: string;
  /** Tokens reserved at first. */
  readonly grantedTokens: number;
  /** Fewer tokens than this free ahead of the answer are a reason to ask for more; 0: all was reserved at once. */
  readonly leastAhead: number;
  /**
   * Records that the answer began, and reserves more if the budgets have room; returns the reservation once it is
   * durable. Errors: `metering_unavailable`.
   */
  extend(completionTokens: number): Promise<number>;
  /** Ends the hold; resolves when that is durable. */
  settle(outcome: O): Promise<void>;
}

/** A hold that was committed: asks its source for more, ahead of need, and once at a time. */
export class OpenHold<O = Outcome> implements Hold<O> {
  readonly #source: HoldSource<O>;
  #granted: number;
  /** Whether the database has recorded the beginning of the answer. */
  #began = false;
  /** Whether there was no more when more was asked for: then it is asked for again only when it is needed. */
  #isDry = false;
  #extending: Promise<void> | undefined;
  #settled: Promise<void> | undefined;

  constructor(source: HoldSource<O>) {
    this.#source = source;
    this.#granted = source.grantedTokens;
  }

  get requestId(): string {
    return this.#source.requestId;
  }

  get grantedTokens(): number {
    return this.#granted;
  }

  allow(completionTokens: number): boolean | Promise<boolean> {
    if (this.#settled !== undefined) return false;
    if (!this.#began || completionTokens > this.#granted) return this.#extendUntil(completionTokens);
    // Extends ahead of need: a stream seldom waits.
    if (this.#isLow(completionTokens) && !this.#isDry && this.#extending === undefined)
      this.#extend(completionTokens).catch(() => {});
    return true;
  }

  async extend(completionTokens: number): Promise<number> {
    while (this.#extending !== undefined) await this.#extending.catch(() => {});
    if (this.#settled === undefined) await this.#extend(completionTokens);
    return this.#granted;
  }

  settle(outcome: O): Promise<void> {
    this.#settled ??= this.#source.settle(outcome);
    return this.#settled;
  }

  async #extendUntil(completionTokens: number): Promise<boolean> {
    while (this.#extending !== undefined) await this.#extending.catch(() => {});
    if (this.#settled !== undefined) return false;
    if (!this.#began || completionTokens > this.#granted) await this.#extend(completionTokens);
    return completionTokens <= this.#granted;
  }

  #isLow(completionTokens: number): boolean {
    return completionTokens + this.#source.leastAhead > this.#granted;
  }

  #extend(completionTokens: number): Promise<void> {
    const before = this.#granted;
    const isLow = this.#isLow(completionTokens);
    this.#extending = this.#source
      .extend(completionTokens)
      .then((granted) => {
        this.#granted = granted;
        this.#began = true;
        this.#isDry = isLow && granted === before;
      })
      .finally(() => {
        this.#extending = undefined;
      });
    return this.#extending;
  }
}
