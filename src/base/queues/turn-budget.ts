import type { Clock } from '../clock.js';

/**
 * Runs pieces of work one after the other, for a limited time in each turn of the event loop. The immediate effects of
 * a piece, promises and ticks, count as part of it: an answer is written long after the function that began it has
 * returned.
 */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #turnMs: number;
  #spentMs = 0;
  #isCounting = false;

  constructor(clock: Clock, turnMs: number) {
    this.#clock = clock;
    this.#turnMs = turnMs;
  }

  /**
   * Runs `piece`, and then `next`: in this turn while budget is left, otherwise in a later one. `onSpent` gets the
   * milliseconds of the piece.
   */
  run(piece: () => void, next: () => void, onSpent?: (spentMs: number) => void): void {
    const beganMs = this.#clock.nowMs();
    piece();
    // A tick that a promise requests runs after all ready promises.
    queueMicrotask(() =>
      process.nextTick(() => {
        const spentMs = this.#clock.nowMs() - beganMs;
        this.#spentMs += spentMs;
        onSpent?.(spentMs);
        if (this.#spentMs < this.#turnMs) next();
        else this.#nextTurn(next);
      }),
    );
    if (!this.#isCounting) this.#nextTurn();
  }

  #nextTurn(next?: () => void): void {
    this.#isCounting = true;
    setImmediate(() => {
      this.#isCounting = false;
      this.#spentMs = 0;
      next?.();
    });
  }
}
