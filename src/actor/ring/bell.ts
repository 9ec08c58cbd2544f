import { systemClock, type Clock } from '../../base/index.js';
import type { KeepAlive } from '../keep-alive.js';

type WaitAsync = (
  words: Int32Array,
  index: number,
  value: number,
  timeoutMs?: number,
) => { async: false; value: string } | { async: true; value: Promise<string> };

// TypeScript's ES2023 library does not have it; Node has since 16. Measured on 20.20 and 24: a notify wakes an idle
// event loop, but a pending wait alone does not keep the loop alive, which is what `KeepAlive` is for.
const waitAsync = Reflect.get(Atomics, 'waitAsync') as WaitAsync;

const AWAKE = 0;
const ASLEEP = 1;

/**
 * A bell on one control word. Who waits says so first, so that the ringer makes no system call while he is awake.
 * The order store-then-load on both sides (sleep word and condition; Dekker) makes a lost ring impossible: Atomics are
 * sequentially consistent.
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

  /** Wakes who sleeps; one load when nobody does. Call after the condition has become true. */
  ring(): void {
    if (Atomics.load(this.#words, this.#index) === AWAKE) return;
    if (Atomics.exchange(this.#words, this.#index, AWAKE) === ASLEEP) Atomics.notify(this.#words, this.#index);
  }

  /** Parks the thread until `condition` or `timeoutMs`; answers the condition. */
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
