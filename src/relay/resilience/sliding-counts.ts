import type { Clock } from '../../base/index.js';

/** Counts over the last while, in slots of a tenth of it. */
export class SlidingCounts {
  readonly #clock: Clock;
  readonly #slotMs: number;
  readonly #slots: { at: number; first: number; second: number }[] = [];

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock;
    this.#slotMs = windowMs / SLOTS;
  }

  /** Adds to the two counts. */
  add(first: number, second: number): void {
    const at = this.#forgetOld();
    const last = this.#slots.at(-1);
    if (last?.at !== at) this.#slots.push({ at, first, second });
    else {
      last.first += first;
      last.second += second;
    }
  }

  /** The sums over the window. */
  sums(): readonly [first: number, second: number] {
    this.#forgetOld();
    return this.#slots.reduce(([a, b], { first, second }) => [a + first, b + second], [0, 0]);
  }

  #forgetOld(): number {
    const now = Math.floor(this.#clock.nowMs() / this.#slotMs);
    while ((this.#slots[0]?.at ?? now) <= now - SLOTS) this.#slots.shift();
    return now;
  }
}

const SLOTS = 10;
