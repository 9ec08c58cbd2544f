import type { Clock } from '../../base/index.js';

/** When a breaker opens, and for how long. */
export interface BreakerOptions {
  /** Failures in a row that open it. 5, as in Envoy's outlier detection. */
  readonly failures: number;
  /** How long it stays open before one request may try. */
  readonly openMs: number;
}

/** The options where nothing else is asked for. */
export const DEFAULT_BREAKER: BreakerOptions = { failures: 5, openMs: 30_000 };

/** `open`: no request goes out. `half-open`: one may, and decides. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** Keeps requests from a target that fails, and lets one try again after a while. */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #options: BreakerOptions;
  #failures = 0;
  /** When it opened; undefined: it is closed. */
  #openedMs: number | undefined;
  #isProbing = false;

  constructor(clock: Clock, options: BreakerOptions = DEFAULT_BREAKER) {
    this.#clock = clock;
    this.#options = options;
  }

  get state(): BreakerState {
    if (this.#openedMs === undefined) return 'closed';
    return this.#clock.nowMs() - this.#openedMs >= this.#options.openMs ? 'half-open' : 'open';
  }

  /** Whether a request may go out now. */
  get isReady(): boolean {
    const { state } = this;
    return state === 'closed' || (state === 'half-open' && !this.#isProbing);
  }

  /** A request goes out. */
  begin(): void {
    if (this.state === 'half-open') this.#isProbing = true;
  }

  /** A request ended well: the target answers. */
  succeed(): void {
    this.#failures = 0;
    this.#openedMs = undefined;
    this.#isProbing = false;
  }

  /** A request ended without information on its target: its client left, for example. */
  forget(): void {
    this.#isProbing = false;
  }

  fail(): void {
    this.#failures++;
    // A request that was sent before it opened does not keep it open for longer.
    if (this.state === 'half-open' || (this.#openedMs === undefined && this.#failures >= this.#options.failures)) {
      this.#openedMs = this.#clock.nowMs();
    }
    this.#isProbing = false;
  }
}
