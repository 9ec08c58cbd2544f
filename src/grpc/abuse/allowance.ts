/** A limit on a burst of events, and on events per second after it. */
export interface EventRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** A token bucket. Times are milliseconds of one clock. */
export class Allowance {
  readonly #rate: EventRate;
  #spent = 0;
  #atMs = -Infinity;

  constructor(rate: EventRate) {
    this.#rate = rate;
  }

  /** Takes one token. False: none is left, and none is taken. */
  take(nowMs: number): boolean {
    const { burst, perSecond } = this.#rate;
    const spent = this.#spentAt(nowMs, perSecond);
    this.#atMs = nowMs;
    this.#spent = spent + 1 <= burst ? spent + 1 : spent;
    return spent + 1 <= burst;
  }

  /** Takes one token even if none is left. The debt prolongs `waitMs`. */
  charge(nowMs: number): void {
    this.#spent = this.#spentAt(nowMs, this.#rate.perSecond) + 1;
    this.#atMs = nowMs;
  }

  /** Milliseconds until a token is available; 0: one is available now. */
  waitMs(nowMs: number): number {
    const { burst, perSecond } = this.#rate;
    return (Math.max(0, this.#spentAt(nowMs, perSecond) + 1 - burst) / perSecond) * 1_000;
  }

  /** The used part of the burst: 0 to 1. */
  spentShare(nowMs: number): number {
    return this.#spentAt(nowMs, this.#rate.perSecond) / this.#rate.burst;
  }

  #spentAt(nowMs: number, perSecond: number): number {
    return this.#spent === 0 ? 0 : Math.max(0, this.#spent - ((nowMs - this.#atMs) * perSecond) / 1_000);
  }
}
