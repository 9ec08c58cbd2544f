import type { Clock } from '../../base/index.js';

/** One timer for the next awaited event. It is set once for many pieces, since streams have thousands. */
export class EventTimer {
  readonly #clock: Clock;
  readonly #onLate: () => void;
  #cancel: (() => void) | undefined;
  /** The deadline of the awaited event; undefined: none is awaited. */
  #dueMs: number | undefined;
  /** When the current timer fires. */
  #firesMs = 0;

  constructor(clock: Clock, onLate: () => void) {
    this.#clock = clock;
    this.#onLate = onLate;
  }

  /** Waits from now on, for `timeMs` at most. */
  start(timeMs: number): void {
    this.#dueMs = this.#clock.nowMs() + timeMs;
    if (this.#cancel !== undefined && this.#firesMs <= this.#dueMs) return;
    this.#cancel?.();
    this.#arm(timeMs);
  }

  /** The awaited event came. */
  pause(): void {
    this.#dueMs = undefined;
  }

  /** No further event is awaited. */
  stop(): void {
    this.#dueMs = undefined;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(timeMs: number): void {
    this.#firesMs = this.#clock.nowMs() + timeMs;
    this.#cancel = this.#clock.after(timeMs, () => this.#fire());
  }

  #fire(): void {
    this.#cancel = undefined;
    if (this.#dueMs === undefined) return;
    const leftMs = this.#dueMs - this.#clock.nowMs();
    if (leftMs > 0) this.#arm(leftMs);
    else this.#onLate();
  }
}
