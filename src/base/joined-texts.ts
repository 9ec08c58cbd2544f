import { isUtf8 } from 'node:buffer';
import { assert } from './assert.js';

/**
 * Concatenated texts in UTF-8: text `i` is `bytes[offsets[i], offsets[i + 1])`. As strings, a vocabulary would take
 * some hundred bytes a text more, and the garbage collector would visit each.
 */
export interface JoinedTexts {
  /** All texts in UTF-8. */
  readonly bytes: Uint8Array;
  /** The start of each text, and the end of the last. */
  readonly offsets: Int32Array;
}

/** Whether a value of unknown origin is joined texts; a parsed JSON value never is. */
export function isJoined(value: unknown): value is JoinedTexts {
  return (
    typeof value === 'object' &&
    value !== null &&
    'bytes' in value &&
    ArrayBuffer.isView(value.bytes) &&
    'offsets' in value &&
    ArrayBuffer.isView(value.offsets)
  );
}

/** Joins strings; half a surrogate pair becomes U+FFFD. */
export function joinTexts(texts: readonly string[]): JoinedTexts {
  const encoder = new TextEncoder();
  const offsets = new Int32Array(texts.length + 1);
  let bytes = new Uint8Array(16 * texts.length + 64);
  let end = 0;
  for (const [i, text] of texts.entries()) {
    // A code unit takes three bytes at most.
    const most = end + 3 * text.length;
    if (most > bytes.length) bytes = extended(bytes, most);
    end += encoder.encodeInto(text, bytes.subarray(end)).written;
    offsets[i + 1] = end;
  }
  return { bytes: bytes.slice(0, end), offsets };
}

/** A copy of `bytes` with more capacity: `least` in all, and at least twice the former. */
function extended(bytes: Uint8Array, least: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(least, 2 * bytes.length));
  larger.set(bytes);
  return larger;
}

/** Text `i` as a string. */
export function joinedText({ bytes, offsets }: JoinedTexts, i: number): string {
  const start = offsets[i] as number;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, (offsets[i + 1] as number) - start).toString('utf8');
}

/** Whether each text is well-formed UTF-8: the whole is, and no text begins within a character. */
export function areWellFormed({ bytes, offsets }: JoinedTexts): boolean {
  if (!isUtf8(bytes)) return false;
  for (let i = 0; i + 1 < offsets.length; i++) {
    const at = offsets[i] as number;
    if (at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) return false;
  }
  return true;
}

/** Builds joined texts one by one. */
export class TextJoiner {
  readonly #offsets: Int32Array;
  #bytes: Uint8Array;
  #count = 0;
  #end = 0;

  /** `count`: the number of texts. `room`: the initial capacity in bytes, about the expected size. */
  constructor(count: number, room = 1 << 10) {
    this.#offsets = new Int32Array(count + 1);
    this.#bytes = new Uint8Array(room);
  }

  /** Adds `from[start, end)`. */
  add(from: Uint8Array, start: number, end: number): void {
    const out = this.roomFor(end - start);
    for (let at = start, to = this.#end; at < end; at++, to++) out[to] = from[at] as number;
    this.close(end - start);
  }

  /** Adds the texts `[first, last)` of others. */
  addAll({ bytes, offsets }: JoinedTexts, first: number, last: number): void {
    const start = offsets[first] as number;
    const end = offsets[last] as number;
    this.roomFor(end - start).set(bytes.subarray(start, end), this.#end);
    const own = this.#offsets;
    const shift = this.#end - start;
    const count = this.#count - first;
    for (let i = first + 1; i <= last; i++) own[count + i] = (offsets[i] as number) + shift;
    this.#count += last - first;
    this.#end += end - start;
  }

  /** The bytes so far, with capacity for `count` more from `end` on. */
  roomFor(count: number): Uint8Array {
    if (this.#end + count > this.#bytes.length) this.#bytes = extended(this.#bytes, this.#end + count);
    return this.#bytes;
  }

  /** Where the next text begins. */
  get end(): number {
    return this.#end;
  }

  /** Ends the next text: the `count` bytes that the caller wrote there. */
  close(count: number): void {
    this.#end += count;
    this.#offsets[++this.#count] = this.#end;
  }

  /** All texts; their number must be the constructor's `count`. */
  join(): JoinedTexts {
    assert(this.#count === this.#offsets.length - 1, 'as many texts were added as were announced');
    // Capacity that was never written takes no memory, and copying a vocabulary takes as long as reading it.
    const isMostlyUsed = this.#end >= this.#bytes.length / 2;
    const bytes = isMostlyUsed ? this.#bytes.subarray(0, this.#end) : this.#bytes.slice(0, this.#end);
    return { bytes, offsets: this.#offsets };
  }
}
