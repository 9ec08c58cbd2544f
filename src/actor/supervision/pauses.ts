import type { Clock } from '../../base/index.js';
import { createKeepAlive } from '../keep-alive.js';
import type { Supervised } from './tree.js';

/**
 * Pauses before restarts, by fallen child. Like a start, a pause keeps the process alive: a caller may wait for the
 * restart.
 */
export class Pauses {
  readonly #clock: Clock;
  readonly #cancels = new Map<Supervised, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `run` once after `pauseMs`, unless that is cancelled. */
  begin(fallen: Supervised, pauseMs: number, run: () => void): void {
    this.cancel(fallen);
    const keepAlive = createKeepAlive();
    keepAlive.waiting(true);
    const cancelTimer = this.#clock.after(pauseMs, () => {
      this.cancel(fallen);
      run();
    });
    this.#cancels.set(fallen, () => {
      cancelTimer();
      keepAlive.clear();
    });
  }

  /** Ends the pause of `fallen`, if there is one. */
  cancel(fallen: Supervised): void {
    this.#cancels.get(fallen)?.();
    this.#cancels.delete(fallen);
  }

  /** Ends all. */
  cancelAll(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}
