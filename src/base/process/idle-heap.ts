import { every, type Clock } from '../clock.js';
import { createUtilizationMeter } from './loop-utilization.js';
import { releaseMemory } from './release-memory.js';

/** Interval of checks, in milliseconds: collecting stops the thread for some 60 ms after 10,000 requests. */
const LOOK_MS = 20_000;
/** Utilisation below which a thread counts as idle. */
const IDLE = 0.25;
/** Growth since the last release that makes another worthwhile. */
const ROOM_BYTES = 32 << 20;

/**
 * Releases the memory of a crowd of requests once this thread has little to do. V8 does so by itself only shortly after
 * a large collection. Otherwise it keeps garbage, or empty pages: 400 MB resident for a heap of 46 (bench/log/grpc.md).
 * The returned function ends it.
 */
export function releaseHeapWhenIdle(clock: Clock): () => void {
  const readUtilization = createUtilizationMeter();
  let keptBytes = 0;
  return every(LOOK_MS, clock, () => {
    const isBusy = readUtilization() >= IDLE;
    if (isBusy || process.memoryUsage.rss() < keptBytes + ROOM_BYTES) return;
    releaseMemory();
    keptBytes = process.memoryUsage.rss();
  });
}
