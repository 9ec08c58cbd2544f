import { getHeapStatistics } from 'node:v8';
import { releaseMemory, type Clock } from '../../../base/index.js';

/** Looked at no more often, in milliseconds. */
const LOOK_MS = 1_000;
/** What pages may take above twice what is kept: V8's young generation, and some pages of 200 rows. */
const ROOM_BYTES = 48 << 20;

/** Keeps what pages made for a moment from staying: V8 lets a heap of 60 MB grow to 250, and gives none of it back. */
export interface HeapBound {
  /** Called behind an answer. Collects where the heap has grown far above what was kept: some 2 ms a megabyte in use. */
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
