import type { AppError } from '../../base/index.js';
import { ggufInvalid } from './invalid.js';
import { decodeText, TextList } from './text-list.js';

/** Numbers of four bytes. */
export type WordType = 'u32' | 'i32' | 'f32';
/** A list of them. */
export type WordList = Uint32Array | Int32Array | Float32Array;

/** Thrown when the available bytes end within a value: the file may have more. */
export class EndOfBytes extends Error {}

/**
 * Reads consecutive little-endian values from the first bytes of a file of `fileBytes`. Impossible values are refused
 * with `checkpoint_invalid`; a read beyond `bytes` throws EndOfBytes.
 */
export class Cursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #fileBytes: number;
  readonly #file: string;
  #at = 0;

  constructor(bytes: Uint8Array, fileBytes: number, file: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#fileBytes = fileBytes;
    this.#file = file;
  }

  /** Bytes read so far. */
  get position(): number {
    return this.#at;
  }

  invalid(why: string): AppError {
    return ggufInvalid(this.#file, why);
  }

  /** Moves past `count` bytes and gives where they begin. */
  take(count: number): number {
    const at = this.#at;
    this.expectRoom(count, 'a value');
    if (at + count > this.#bytes.length) throw new EndOfBytes();
    this.#at = at + count;
    return at;
  }

  /** Refuses what would need more bytes than the file has left. */
  expectRoom(count: number, what: string): void {
    if (count <= this.#fileBytes - this.#at) return;
    throw this.invalid(`${what} at byte ${this.#at} needs ${count} bytes, the file ends after ${this.#fileBytes}`);
  }

  u8 = (): number => this.#view.getUint8(this.take(1));
  i8 = (): number => this.#view.getInt8(this.take(1));
  u16 = (): number => this.#view.getUint16(this.take(2), true);
  i16 = (): number => this.#view.getInt16(this.take(2), true);
  u32 = (): number => this.#view.getUint32(this.take(4), true);
  i32 = (): number => this.#view.getInt32(this.take(4), true);
  f32 = (): number => this.#view.getFloat32(this.take(4), true);
  f64 = (): number => this.#view.getFloat64(this.take(8), true);
  u64 = (): bigint => this.#view.getBigUint64(this.take(8), true);
  i64 = (): bigint => this.#view.getBigInt64(this.take(8), true);

  /** A u64 that counts something: at most `limit`, which is below 2^53. */
  count(what: string, limit: number): number {
    const at = this.take(8);
    // In halves: a bigint for each text of a vocabulary would take longer than all else.
    const value = this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
    if (value <= limit) return value;
    throw this.invalid(`${what} is ${this.#view.getBigUint64(at, true)}; the limit is ${limit}`);
  }

  /** `count` u32, i32 or f32, in that order of bytes as the machine has it; in shared memory, for other threads. */
  words(count: number, type: WordType): WordList {
    const at = this.take(4 * count);
    // A copy that begins at a multiple of 4, whatever the bytes are a view of.
    const buffer = new SharedArrayBuffer(4 * count);
    new Uint8Array(buffer).set(this.#bytes.subarray(at, at + 4 * count));
    if (type === 'u32') return new Uint32Array(buffer);
    return type === 'i32' ? new Int32Array(buffer) : new Float32Array(buffer);
  }

  /** A u64 length and that many bytes of UTF-8. */
  text(what: string, limitBytes: number): string {
    const length = this.count(`the length of ${what}`, limitBytes);
    const start = this.take(length);
    return decodeText(this.#bytes.subarray(start, start + length), `${what} at byte ${start}`, this.#file);
  }

  /** `count` of them, decoded when they are asked for. */
  texts(count: number, what: string, limitBytes: number): TextList {
    const bounds = new Uint32Array(new SharedArrayBuffer(8 * count));
    for (let i = readShortTexts(this.#bytes, this.#at, bounds, limitBytes); i < count; i++) {
      this.#at = i === 0 ? this.#at : (bounds[2 * i - 1] as number);
      const length = this.count(`the length of ${what}`, limitBytes);
      bounds[2 * i] = this.take(length);
      bounds[2 * i + 1] = this.#at;
    }
    this.#at = bounds.at(-1) ?? this.#at;
    return new TextList({ bytes: this.#bytes, bounds, file: this.#file, what });
  }
}

/**
 * Finds the texts from `at` on: where each begins and ends goes to `bounds`. Gives how many there are before one that is longer than
 * `limitBytes` or than the bytes at hand, which is rare; all, mostly. Without calls, since it runs for each token of a vocabulary.
 */
function readShortTexts(bytes: Uint8Array, at: number, bounds: Uint32Array, limitBytes: number): number {
  let next = at;
  for (let i = 0; i < bounds.length; i += 2) {
    const start = next + 8;
    if (start > bytes.length) return i / 2;
    const low = (bytes[next] as number) | ((bytes[next + 1] as number) << 8);
    const length = low | ((bytes[next + 2] as number) << 16);
    const high = (bytes[next + 3] as number) | (bytes[next + 4] as number) | (bytes[next + 5] as number);
    const isLong = (high | (bytes[next + 6] as number) | (bytes[next + 7] as number)) !== 0;
    next = start + length;
    if (isLong || length > limitBytes || next > bytes.length) return i / 2;
    bounds[i] = start;
    bounds[i + 1] = next;
  }
  return bounds.length / 2;
}
