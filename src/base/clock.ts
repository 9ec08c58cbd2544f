import { performance } from 'node:perf_hooks';

/** Time as the product reads it, so that tests can inject their own. */
export interface Clock {
  /** Monotonic milliseconds from an arbitrary start. */
  nowMs(): number;
  /** Wall-clock seconds since 1970, for `created` on a wire. */
  unixSeconds(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

/** The clock of the machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  unixSeconds: () => Math.floor(Date.now() / 1000),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
