import { getHeapStatistics } from 'node:v8';
import { releaseMemory, type Clock } from '../../../base/index.js';

/** Looked at no more often, in milliseconds. */
const LOOK_MS = 1_000;
/** Heap that pages may use above twice the retained heap: V8's young generation, and some pages of 200 rows. */
const ROOM_BYTES = 48 << 20;

/** Returns garbage of pages to the system. V8 alone lets a heap of 60 MB grow to 250 MB and returns nothing. */
export interface HeapBound {
  /**
   * Call it behind an answer. It collects when the heap has grown far above the retained size: some 2 ms a megabyte in
   * use.
   */
  look(): void;
}

/** The bound of this thread. */
export function boundHeap(clock: Clock): HeapBound {
  let keptBytes = 0;
  let lookedMs = -Infinity;
  return {
    look() {
      const nowMs = clock.nowMs();
      if (nowMs - lookedMs < LOOK_MS) return;
      lookedMs = nowMs;
      if (getHeapStatistics().total_heap_size < 2 * keptBytes + ROOM_BYTES) return;
      releaseMemory();
      keptBytes = getHeapStatistics().total_heap_size;
    },
  };
}
