import { AppError, type Clock } from '../../../base/index.js';

/** Wrong tokens within a minute that are answered at once. */
const MAX_FAILURES = 5;
const WINDOW_MS = 60_000;
/** How long all attempts are refused then; each failure doubles it. It only limits noise: a token has 256 bits. */
const FIRST_WAIT_MS = 15_000;
const MAX_WAIT_MS = 300_000;
/** After so long without a failure all is forgotten. */
const FORGET_MS = 900_000;

/** Limits attempts with wrong tokens. All clients are on this machine: they share one limit. */
export class AttemptLimit {
  readonly #clock: Clock;
  readonly #onWrong: () => void;
  #failures: number[] = [];
  #waitMs = 0;
  #blockedUntilMs = -Infinity;
  #lastMs = -Infinity;
  /** Attempts that were refused unread since the last one that was checked. */
  #numBlocked = 0;

  /** `onWrong` is called for each that is wrong or too soon. */
  constructor(clock: Clock, onWrong: () => void = () => {}) {
    this.#clock = clock;
    this.#onWrong = onWrong;
  }

  /** Refuses an attempt that comes too soon. Errors: `sign_in_limited`, with `first` for the first of a row. */
  check(): void {
    const leftMs = this.#blockedUntilMs - this.#clock.nowMs();
    if (leftMs <= 0) return;
    this.#onWrong();
    this.#numBlocked++;
    const seconds = Math.ceil(leftMs / 1000);
    const message = `too many wrong admin tokens; try again in ${seconds} s`;
    throw new AppError('sign_in_limited', message, { retryAfterMs: Math.ceil(leftMs), first: this.#numBlocked === 1 });
  }

  /** How many were refused by `check` since this was asked last. */
  takeBlocked(): number {
    const count = this.#numBlocked;
    this.#numBlocked = 0;
    return count;
  }

  /** An attempt was wrong. */
  fail(): void {
    this.#onWrong();
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#lastMs > FORGET_MS) this.succeed();
    this.#lastMs = nowMs;
    this.#failures = [...this.#failures.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs];
    if (this.#failures.length < MAX_FAILURES && this.#waitMs === 0) return;
    this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs === 0 ? FIRST_WAIT_MS : 2 * this.#waitMs);
    this.#blockedUntilMs = nowMs + this.#waitMs;
  }

  /** An attempt was right: earlier failures are forgotten. */
  succeed(): void {
    this.#failures = [];
    this.#waitMs = 0;
    this.#blockedUntilMs = -Infinity;
  }
}
