import type { Clock } from '../../base/index.js';
import { SlidingCounts } from './sliding-counts.js';

/** When a target is out of line with the others. */
export interface OutlierOptions {
  readonly windowMs: number;
  /** Requests of a target in the window before it is judged. */
  readonly minRequests: number;
  /** Share of failures above which it is ejected, if it is also twice that of the others. */
  readonly failureShare: number;
  /** How long it stays out, times how often it was out before. */
  readonly ejectMs: number;
  readonly maxEjectMs: number;
  /** Share of the targets that may be out; one always stays. */
  readonly maxShare: number;
}

/**
 * The options where nothing else is asked for. Envoy ejects a tenth of large groups; groups of model servers are small, so half
 * of one may be out.
 */
export const DEFAULT_OUTLIERS: OutlierOptions = {
  windowMs: 30_000,
  minRequests: 10,
  failureShare: 0.3,
  ejectMs: 30_000,
  maxEjectMs: 300_000,
  maxShare: 0.5,
};

interface Record {
  readonly counts: SlidingCounts;
  /** The time until which it is out. */
  untilMs: number;
  times: number;
}

/** Ejects targets that fail far more often than the others, though not in a row as a breaker sees it. */
export class OutlierEjection {
  readonly #clock: Clock;
  readonly #options: OutlierOptions;
  readonly #records = new Map<string, Record>();

  constructor(clock: Clock, ids: readonly string[], options: OutlierOptions = DEFAULT_OUTLIERS) {
    this.#clock = clock;
    this.#options = options;
    for (const id of ids) {
      this.#records.set(id, { counts: new SlidingCounts(clock, options.windowMs), untilMs: -Infinity, times: 0 });
    }
  }

  isEjected(id: string): boolean {
    return (this.#records.get(id)?.untilMs ?? -Infinity) > this.#clock.nowMs();
  }

  /** One request of a target ended. */
  onResult(id: string, failed: boolean): void {
    const record = this.#records.get(id);
    if (record === undefined) return;
    record.counts.add(1, failed ? 1 : 0);
    if (failed && !this.isEjected(id) && this.#isOutlier(id, record) && this.#hasRoom()) this.#eject(record);
  }

  #isOutlier(id: string, { counts }: Record): boolean {
    const [requests, failures] = counts.sums();
    const { minRequests, failureShare } = this.#options;
    if (requests < minRequests || failures / requests < failureShare) return false;
    let [others, failed] = [0, 0];
    for (const [other, { counts: theirs }] of this.#records) {
      if (other === id || this.isEjected(other)) continue;
      const [count, lost] = theirs.sums();
      [others, failed] = [others + count, failed + lost];
    }
    // A single target, or one among targets that all fail, is not an outlier.
    return others >= minRequests && failures / requests >= 2 * (failed / others);
  }

  #hasRoom(): boolean {
    const out = [...this.#records.keys()].filter((id) => this.isEjected(id)).length;
    return out + 1 <= Math.min(this.#records.size - 1, Math.floor(this.#records.size * this.#options.maxShare));
  }

  #eject(record: Record): void {
    const now = this.#clock.nowMs();
    const { ejectMs, maxEjectMs, windowMs } = this.#options;
    // After a long time without a fault the earlier ejections no longer count.
    if (now - record.untilMs > maxEjectMs + windowMs) record.times = 0;
    record.times++;
    record.untilMs = now + Math.min(maxEjectMs, ejectMs * record.times);
  }
}
