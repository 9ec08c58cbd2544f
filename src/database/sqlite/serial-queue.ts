import { BoundedQueue } from '../../base/index.js';

/** Calls that may wait for their turn; more are refused, since they would wait for minutes. */
const MAX_WAITING = 20_000;

/** One piece of work at a time, in the order of arrival: a connection of SQLite has one transaction. */
export class SerialQueue {
  readonly #waiting = new BoundedQueue<() => void>('work for the database', MAX_WAITING);
  #isTaken = false;

  /** Whether the turn is free. */
  get isFree(): boolean {
    return !this.#isTaken;
  }

  /** Runs `work` alone. Errors: those of `work`, `queue_full`. */
  async take<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      // The turn is handed over, and never free in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#isTaken = false;
      else next();
    }
  }
}
