import { performance } from 'node:perf_hooks';

/** Tells, each time it is called, which part of the time since the last call this thread's event loop was busy: 0 to 1. */
export function createUtilizationMeter(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
