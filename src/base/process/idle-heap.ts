import { every, type Clock } from '../clock.js';
import { boundHeap } from './heap-bound.js';
import { createUtilizationMeter } from './loop-utilization.js';

/** How often the heap is looked at, in milliseconds: collecting stops the thread for some 60 ms after 10,000 requests. */
const LOOK_MS = 20_000;
/** A thread that was busy for less of its time has little to do. */
const IDLE = 0.25;

/**
 * Gives back what a crowd of requests left in the heap of this thread, once it has little to do. V8 does so by itself, but only
 * where a large collection came shortly before; else 160 MB with 30 in use stay as they are. The returned function ends it.
 */
export function releaseHeapWhenIdle(clock: Clock): () => void {
  const heap = boundHeap(clock);
  const readUtilization = createUtilizationMeter();
  return every(LOOK_MS, clock, () => {
    if (readUtilization() < IDLE) heap.look();
  });
}
