import type { Clock } from '../../src/base/index.js';

/** A clock that a test moves by hand. */
export class HandClock implements Clock {
  #now = 0;
  #timers: { at: number; run: () => void }[] = [];

  nowMs(): number {
    return this.#now;
  }

  unixSeconds(): number {
    return Math.floor(this.#now / 1_000);
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#now + delayMs, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#timers.length;
  }

  /** Time goes by and nothing runs: the machine sleeps. What was due meanwhile runs with the next `advance`, late. */
  sleep(timeMs: number): void {
    this.#now += timeMs;
  }

  /** Moves on and runs what is due, in order. */
  advance(timeMs: number): void {
    const end = this.#now + timeMs;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
    }
    this.#now = end;
  }
}
