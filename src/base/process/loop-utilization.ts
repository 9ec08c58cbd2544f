import { performance } from 'node:perf_hooks';

/**
 * Returns a function. Each call of it gives the share of time, 0 to 1, that this thread's event loop was busy since the
 * last call.
 */
export function createUtilizationMeter(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
