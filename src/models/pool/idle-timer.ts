import type { Clock } from '../../base/index.js';

/** The longest delay that a timer of Node takes, ms; a longer one would be over at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Unloads a model that was unused for long enough. */
export class IdleTimer {
  readonly #clock: Clock;
  readonly #onIdle: () => void;
  /** How long a model stays after its last call, ms; Infinity: until another model needs its memory. */
  keepAliveMs = Infinity;
  #stop: (() => void) | undefined;

  constructor(clock: Clock, onIdle: () => void) {
    this.#clock = clock;
    this.#onIdle = onIdle;
  }

  /** The last call has ended. */
  start(): void {
    this.stop();
    if (this.keepAliveMs === Infinity) return;
    if (this.keepAliveMs <= 0) this.#onIdle();
    else this.#wait(this.keepAliveMs);
  }

  /** A call begins, or the model goes for another reason. */
  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #wait(leftMs: number): void {
    const delayMs = Math.min(leftMs, MAX_DELAY_MS);
    this.#stop = this.#clock.after(delayMs, () => {
      if (leftMs > delayMs) this.#wait(leftMs - delayMs);
      else this.#onIdle();
    });
  }
}
