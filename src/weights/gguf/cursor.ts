import { AppError } from '../../base/index.js';
import { TextList } from './text-list.js';

/** Thrown when the bytes at hand end before what is read: there may be more of them in the file. */
export class EndOfBytes extends Error {}

/** The error for a file that breaks the format. */
export function invalid(file: string, why: string): AppError {
  return new AppError('checkpoint_invalid', `${file} is not a valid GGUF file: ${why}`, { file });
}

/**
 * Reads little-endian values one after the other from the first bytes of a file of `fileBytes`. What cannot be in the
 * file is refused with `checkpoint_invalid`; what is not yet in `bytes` throws EndOfBytes.
 */
export class Cursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #fileBytes: number;
  readonly #file: string;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
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
    return invalid(this.#file, why);
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

  /** `count` u32, i32 or f32, in that order of bytes as the machine has it. */
  words(count: number, type: 'u32' | 'i32' | 'f32'): number[] {
    const at = this.take(4 * count);
    // A copy that begins at a multiple of 4, whatever the bytes are a view of.
    const { buffer } = new Uint8Array(this.#bytes.subarray(at, at + 4 * count));
    const words =
      type === 'u32' ? new Uint32Array(buffer) : type === 'i32' ? new Int32Array(buffer) : new Float32Array(buffer);
    const values: number[] = [];
    for (let i = 0; i < count; i++) values.push(words[i] as number);
    return values;
  }

  /** A u64 length and that many bytes of UTF-8. */
  text(what: string, limitBytes: number): string {
    const length = this.count(`the length of ${what}`, limitBytes);
    const start = this.take(length);
    return this.#decode(what, start, start + length);
  }

  /** `count` of them, decoded when they are asked for. */
  texts(count: number, what: string, limitBytes: number): TextList {
    const bounds = new Uint32Array(2 * count);
    const bytes = this.#bytes;
    const view = this.#view;
    for (let i = 0; i < count; i++) {
      const at = this.#at;
      // Most texts are short and there: no check but these.
      const isPlain = at + 8 <= bytes.length && view.getUint32(at + 4, true) === 0;
      const short = isPlain ? view.getUint32(at, true) : limitBytes + 1;
      if (short <= limitBytes && at + 8 + short <= bytes.length) this.#at = at + 8 + short;
      else this.take(this.count(`the length of ${what}`, limitBytes));
      bounds[2 * i] = at + 8;
      bounds[2 * i + 1] = this.#at;
    }
    return new TextList(this.#bytes, bounds, (start, end) => this.#decode(what, start, end));
  }

  #decode(what: string, start: number, end: number): string {
    try {
      return this.#decoder.decode(this.#bytes.subarray(start, end));
    } catch {
      throw this.invalid(`${what} at byte ${start} is not UTF-8`);
    }
  }
}
