import { assert } from '../../base/index.js';
import { Bell } from './bell.js';
import { createKeepAlive } from '../keep-alive.js';
import {
  CLOSED,
  CONSUMER_BELL,
  HEAD,
  HEADER_BYTES,
  PAD,
  PRODUCER_BELL,
  recordBytes,
  TAIL,
  viewRing,
  type RingHandle,
} from './ring.js';

/** The reading end of a ring. */
export interface RingConsumer {
  /**
   * Calls `take` with each available record, in order, frees their space and returns their number. Takes at most
   * `limit`. The view lies in the ring and is valid during the call only. When `take` throws, its record counts as
   * taken.
   */
  drain(take: (record: Uint8Array) => void, limit?: number): number;
  /** Parks this thread until there is a record, the ring is closed, or `timeoutMs` passed; true when there is one. */
  waitSync(timeoutMs: number): boolean;
  /** Settles with true when there is a record, with false when the ring is closed and empty. */
  wait(): Promise<boolean>;
  /** Whether a pending `wait` keeps the process alive. Default true, as with Node's own handles. */
  hold(active: boolean): void;
  /** Ends reading: producers get `ring_closed`, a pending `wait` settles. */
  close(): void;
  /** Whether nothing more can come. */
  readonly closed: boolean;
}

/** Opens the reading end: one at a time in a ring's life. */
export function openConsumer(handle: RingHandle): RingConsumer {
  const { control, words, bytes, capacity } = viewRing(handle);
  const mask = capacity - 1;
  const many = handle.kind === 'mpsc';
  const bell = new Bell(control, CONSUMER_BELL);
  const room = new Bell(control, PRODUCER_BELL);
  const keepAlive = createKeepAlive();
  let mine = false;

  const isClosed = (): boolean => Atomics.load(control, CLOSED) === 1;

  function hasRecord(): boolean {
    const head = control[HEAD] as number;
    if (!many) return Atomics.load(control, TAIL) !== head;
    const header = Atomics.load(words, (head & mask) >> 2);
    // After a PAD the record is at the start; it may not be committed yet.
    return header === PAD ? Atomics.load(words, 0) !== 0 : header !== 0;
  }
  const ready = (): boolean => hasRecord() || isClosed();

  /** Takes the record at `head`: its bytes in the ring with the skipped ones, or 0 when it is not committed yet. */
  function takeOne(head: number, take: (record: Uint8Array) => void): number {
    let offset = head & mask;
    let skipped = 0;
    let header = Atomics.load(words, offset >> 2);
    if (header === PAD) {
      skipped = capacity - offset;
      header = Atomics.load(words, 0);
      if (many && header === 0) return 0;
      if (many) words[offset >> 2] = 0;
      offset = 0;
    } else if (many && header === 0) return 0;
    const payloadBytes = header - 1;
    const size = recordBytes(payloadBytes);
    assert(payloadBytes >= 0 && offset + size <= capacity, 'a record lies within its ring');
    const start = offset + HEADER_BYTES;
    try {
      take(bytes.subarray(start, start + payloadBytes));
    } finally {
      // With many producers a header that is not 0 commits a record. So every later position of a header is cleared.
      if (many) words.fill(0, offset >> 2, (offset + size) >> 2);
      Atomics.store(control, HEAD, (head + skipped + size) | 0);
    }
    return skipped + size;
  }

  return {
    drain(take, limit = Infinity) {
      const end = Atomics.load(control, TAIL);
      let head = control[HEAD] as number;
      let count = 0;
      try {
        while (head !== end && count < limit) {
          const size = takeOne(head, take);
          if (size === 0) break;
          head = (head + size) | 0;
          count++;
        }
      } finally {
        room.ring();
      }
      return count;
    },
    waitSync: (timeoutMs) => bell.waitSync(ready, timeoutMs) && hasRecord(),
    async wait() {
      await bell.wait(() => mine || ready(), keepAlive);
      return !mine && hasRecord();
    },
    hold: (active) => keepAlive.hold(active),
    close() {
      mine = true;
      Atomics.store(control, CLOSED, 1);
      bell.ring();
      room.ring();
      keepAlive.clear();
    },
    get closed() {
      return isClosed();
    },
  };
}
