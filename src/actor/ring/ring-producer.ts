import { AppError } from '../../base/index.js';
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

/** The writing end of a ring. */
export interface RingProducer {
  /**
   * Appends a record, given whole or in parts; false when there is no space now. With `wake` false a sleeping reader is
   * not woken before `wake`: for records that may wait for the next. Errors: `ring_record_too_large`, `ring_closed`.
   */
  tryWrite(record: Uint8Array | readonly Uint8Array[], wake?: boolean): boolean;
  /** Wakes a sleeping reader. */
  wake(): void;
  /** Parks this thread until the consumer took something or `timeoutMs` passed; true when it did. */
  waitSync(timeoutMs: number): boolean;
  /** Settles when the consumer took something; false once the ring is closed. */
  wait(): Promise<boolean>;
  /** Whether a pending `wait` keeps the process alive. Default true. */
  hold(active: boolean): void;
  /** No more records: the consumer drains what is there, then sees the end. */
  close(): void;
  /** Whether nothing more can be written. */
  readonly closed: boolean;
}

function isBytes(record: Uint8Array | readonly Uint8Array[]): record is Uint8Array {
  return ArrayBuffer.isView(record);
}

/** Opens the writing end. `spsc`: once in the ring's life at a time; `mpsc`: as often as needed, on any thread. */
export function openProducer(handle: RingHandle): RingProducer {
  const { control, words, bytes, capacity } = viewRing(handle);
  const mask = capacity - 1;
  const many = handle.kind === 'mpsc';
  const bell = new Bell(control, CONSUMER_BELL);
  const room = new Bell(control, PRODUCER_BELL);
  const keepAlive = createKeepAlive();
  let headSeen = Atomics.load(control, HEAD);
  let headAtFull = headSeen;

  const isClosed = (): boolean => Atomics.load(control, CLOSED) === 1;
  const moved = (): boolean => Atomics.load(control, HEAD) !== headAtFull || isClosed();

  /** The position of a record of `need` bytes, or -1. Writes the PAD before it. */
  function reserve(need: number): number {
    for (;;) {
      const tail = Atomics.load(control, TAIL);
      const offset = tail & mask;
      const rest = capacity - offset;
      const pad = need > rest ? rest : 0;
      if (((tail - headSeen) | 0) + pad + need > capacity) {
        headSeen = Atomics.load(control, HEAD);
        if (((tail - headSeen) | 0) + pad + need > capacity) {
          // With many producers the tail may be older than the head just read: look again before giving up.
          if (many && Atomics.load(control, TAIL) !== tail) continue;
          headAtFull = headSeen;
          return -1;
        }
      }
      if (many && Atomics.compareExchange(control, TAIL, tail, (tail + pad + need) | 0) !== tail) continue;
      if (pad > 0) Atomics.store(words, offset >> 2, PAD);
      return pad > 0 ? 0 : offset;
    }
  }

  function commit(offset: number, payloadBytes: number, wake: boolean): void {
    if (many) Atomics.store(words, offset >> 2, payloadBytes + 1);
    else {
      words[offset >> 2] = payloadBytes + 1;
      const end = offset + recordBytes(payloadBytes);
      const tail = control[TAIL] as number;
      const pad = (tail & mask) === offset ? 0 : capacity - (tail & mask);
      Atomics.store(control, TAIL, (tail + pad + end - offset) | 0);
    }
    if (wake) bell.ring();
  }

  return {
    wake: () => bell.ring(),
    tryWrite(record, wake = true) {
      if (isClosed()) throw new AppError('ring_closed', 'the ring is closed; nothing more can be written');
      const whole = isBytes(record);
      const payloadBytes = whole ? record.length : record.reduce((sum, part) => sum + part.length, 0);
      const need = recordBytes(payloadBytes);
      if (need > capacity / 2) {
        const limit = capacity / 2 - HEADER_BYTES;
        const message = `a record of ${payloadBytes} bytes is too large for this ring: its limit is ${limit} bytes`;
        throw new AppError('ring_record_too_large', message, { payloadBytes, limit });
      }
      const offset = reserve(need);
      if (offset < 0) return false;
      let at = offset + HEADER_BYTES;
      if (whole) bytes.set(record, at);
      else {
        for (const part of record) {
          bytes.set(part, at);
          at += part.length;
        }
      }
      commit(offset, payloadBytes, wake);
      return true;
    },
    waitSync: (timeoutMs) => room.waitSync(moved, timeoutMs) && !isClosed(),
    async wait() {
      await room.wait(moved, keepAlive);
      return !isClosed();
    },
    hold: (active) => keepAlive.hold(active),
    close() {
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
