import type { Clock } from '../clock.js';

/**
 * Pieces of work one after the other, for so many milliseconds in each turn of the event loop. What a piece causes at once,
 * promises and ticks, is part of it: an answer to a call is written long after the function that began it has returned.
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
   * Runs `piece`, and then `next`: in this turn where something of it is left, else in one after it. `onSpent` is told how many
   * milliseconds the piece took.
   */
  run(piece: () => void, next: () => void, onSpent?: (spentMs: number) => void): void {
    const beganMs = this.#clock.nowMs();
    piece();
    // A tick that a promise asks for comes when all promises have run that could.
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
