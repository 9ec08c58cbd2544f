import { AppError } from '../../base/index.js';

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

  /** A u64 that counts something: at most `limit`. */
  count(what: string, limit: number): number {
    const value = this.u64();
    if (value > BigInt(limit)) throw this.invalid(`${what} is ${value}; the limit is ${limit}`);
    return Number(value);
  }

  /** A u64 length and that many bytes of UTF-8. */
  text(what: string, limitBytes: number): string {
    const length = this.count(`the length of ${what}`, limitBytes);
    const start = this.take(length);
    try {
      return this.#decoder.decode(this.#bytes.subarray(start, start + length));
    } catch {
      throw this.invalid(`${what} at byte ${start} is not UTF-8`);
    }
  }
}
