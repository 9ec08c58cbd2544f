import { AppError, assert, checkedLater, checkOptions, oneOf, type OptionTable } from '../../base/index.js';

// Layout of a ring's shared memory: control words on cache lines of their own, then the records.
//
//   word 0   capacity of the records' part in bytes, a power of two
//   word 1   1 once closed
//   word 16  head: bytes ever taken, mod 2^32; the consumer's
//   word 32  tail: bytes ever reserved, mod 2^32; the producers'
//   word 48  the consumer's bell      word 64  the producers' bell (room)
//
// A record is a 32-bit header (payload length + 1) and its payload, padded to 4 bytes, never split: where it does not
// fit before the end, a PAD header makes the reader go on at the start.

/** One producer (`spsc`) or many (`mpsc`); always one consumer. */
export type RingKind = 'spsc' | 'mpsc';

/** What both ends of a ring are opened from. Crosses threads. */
export interface RingHandle {
  /** How many may write. */
  readonly kind: RingKind;
  /** Control words and records. */
  readonly memory: SharedArrayBuffer;
}

export const CLOSED = 1;
export const HEAD = 16;
export const TAIL = 32;
export const CONSUMER_BELL = 48;
export const PRODUCER_BELL = 64;
const CONTROL_WORDS = 80;

export const HEADER_BYTES = 4;
export const PAD = -1;

/** Positions are 32-bit and must tell full from empty; shared memory of this size is never needed for messages. */
const MAX_CAPACITY_BYTES = 2 ** 30;
const MIN_CAPACITY_BYTES = 64;

/** The parts of a ring, as both ends see them. */
export interface RingViews {
  readonly control: Int32Array;
  readonly words: Int32Array;
  readonly bytes: Uint8Array;
  readonly capacity: number;
}

/** How a ring is made. */
export interface RingOptions {
  /** Bytes of records at least; rounded up to a power of two. */
  readonly capacityBytes: number;
  /** How many may write. Default `spsc`: one. */
  readonly kind?: RingKind | undefined;
}

const ringKind = oneOf('spsc', 'mpsc');
const handleFields: OptionTable<RingHandle> = { kind: ringKind, memory: checkedLater };
const ringOptions: OptionTable<RingOptions> = { capacityBytes: checkedLater, kind: ringKind };

/**
 * A ring of at least `capacityBytes` (rounded up to a power of two) in shared memory, for records of up to half of it.
 * Errors: `ring_invalid`.
 */
export function createRing(options: RingOptions): RingHandle {
  const { capacityBytes = NaN, kind = 'spsc' } = checkOptions('createRing', options, ringOptions, 'ring_invalid');
  if (!(capacityBytes > 0 && capacityBytes <= MAX_CAPACITY_BYTES)) {
    const message = `a ring of ${String(capacityBytes)} bytes cannot be made; it has 1 to ${MAX_CAPACITY_BYTES} bytes`;
    throw new AppError('ring_invalid', message, { capacityBytes: String(capacityBytes) });
  }
  const capacity = Math.max(MIN_CAPACITY_BYTES, 2 ** Math.ceil(Math.log2(capacityBytes)));
  const memory = new SharedArrayBuffer(CONTROL_WORDS * 4 + capacity);
  new Int32Array(memory)[0] = capacity;
  return { kind, memory };
}

/** The views of a ring's memory. Errors: `ring_invalid`. */
export function viewRing(handle: RingHandle): RingViews {
  const { memory, kind } = checkOptions('a ring', handle, handleFields, 'ring_invalid');
  if (memory === undefined || kind === undefined)
    throw new AppError('ring_invalid', 'a ring handle comes from createRing');
  const control = new Int32Array(memory, 0, CONTROL_WORDS);
  const capacity = control[0] as number;
  const start = CONTROL_WORDS * 4;
  assert(capacity === memory.byteLength - start, 'a ring handle comes from createRing');
  return { control, capacity, words: new Int32Array(memory, start), bytes: new Uint8Array(memory, start) };
}

/** Bytes that a record of `payloadBytes` takes. */
export function recordBytes(payloadBytes: number): number {
  return HEADER_BYTES + ((payloadBytes + 3) & ~3);
}
