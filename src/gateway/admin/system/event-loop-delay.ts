import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the event loop of this thread is, over the time since the start. */
export interface EventLoopDelay extends Disposable {
  /** Milliseconds of a percentile from 0 to 100. */
  percentileMs(percentile: number): number;
}

/** Milliseconds between two samples. The delay is the time beyond it. */
const RESOLUTION_MS = 20;

/** Begins to measure; disposing of it ends that. */
export function measureEventLoopDelay(): EventLoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    percentileMs: (percentile) => Math.max(0, histogram.percentile(percentile) / 1e6 - RESOLUTION_MS),
    [Symbol.dispose]: () => histogram.disable(),
  };
}
