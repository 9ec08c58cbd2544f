import { performance } from 'node:perf_hooks';
import type { Clock } from '../../../src/base/index.js';

/** The clock of the machine, `scale` times as fast: minutes of limits and intervals pass in seconds. */
export function createScaledClock(scale: number): Clock {
  return {
    nowMs: () => performance.now() * scale,
    unixSeconds: () => Math.floor((performance.now() * scale) / 1_000),
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs / scale);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
