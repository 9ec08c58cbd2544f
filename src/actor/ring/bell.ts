import { systemClock, type Clock } from '../../base/index.js';
import type { KeepAlive } from '../keep-alive.js';

type WaitAsync = (
  words: Int32Array,
  index: number,
  value: number,
  timeoutMs?: number,
) => { async: false; value: string } | { async: true; value: Promise<string> };

// TypeScript's ES2023 library lacks it; Node has it since 16. Measured on 20.20 and 24: a notify wakes an idle event
// loop, but a pending wait alone does not keep the loop alive. `KeepAlive` does that.
const waitAsync = Reflect.get(Atomics, 'waitAsync') as WaitAsync;

const AWAKE = 0;
const ASLEEP = 1;

/**
 * A bell on one control word. A waiter sets the sleep word first, so the ringer makes no system call while the waiter
 * is awake. Both sides store before they load (sleep word and condition; Dekker), and Atomics are sequentially
 * consistent. So no ring is lost.
 */
export class Bell {
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #clock: Clock;

  constructor(words: Int32Array, index: number, clock: Clock = systemClock) {
    this.#words = words;
    this.#index = index;
    this.#clock = clock;
  }

  /** Wakes a sleeping waiter; costs one load without one. Call after the condition has become true. */
  ring(): void {
    if (Atomics.load(this.#words, this.#index) === AWAKE) return;
    if (Atomics.exchange(this.#words, this.#index, AWAKE) === ASLEEP) Atomics.notify(this.#words, this.#index);
  }

  /** Parks the thread until `condition` holds or `timeoutMs` passed; returns the condition. */
  waitSync(condition: () => boolean, timeoutMs: number): boolean {
    const end = this.#clock.nowMs() + timeoutMs;
    while (!condition()) {
      Atomics.store(this.#words, this.#index, ASLEEP);
      if (condition()) break;
      const left = end - this.#clock.nowMs();
      if (left <= 0) return false;
      Atomics.wait(this.#words, this.#index, ASLEEP, left);
    }
    return true;
  }

  /** As `waitSync` without parking the thread and without a limit. */
  async wait(condition: () => boolean, keepAlive: KeepAlive): Promise<void> {
    while (!condition()) {
      Atomics.store(this.#words, this.#index, ASLEEP);
      if (condition()) return;
      const waiting = waitAsync(this.#words, this.#index, ASLEEP);
      if (!waiting.async) continue;
      keepAlive.waiting(true);
      await waiting.value;
      keepAlive.waiting(false);
    }
  }
}
