import { every, type Clock } from '../clock.js';
import { createUtilizationMeter } from './loop-utilization.js';
import { releaseMemory } from './release-memory.js';

/** How often the process is looked at, in milliseconds: collecting stops the thread for some 60 ms after 10,000 requests. */
const LOOK_MS = 20_000;
/** A thread that was busy for less of its time has little to do. */
const IDLE = 0.25;
/** What may have come since memory was given back. */
const ROOM_BYTES = 32 << 20;

/**
 * Gives back what a crowd of requests left to this thread, once it has little to do. V8 does so by itself only where a large
 * collection came shortly before. Else it keeps garbage, or pages without any: 400 MB resident for a heap of 46
 * (bench/LOG.md, 2026-11-27). The returned function ends it.
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
