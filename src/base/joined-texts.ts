import { isUtf8 } from 'node:buffer';
import { assert } from './assert.js';

/**
 * Texts one behind the other, as UTF-8: text `i` is `bytes[offsets[i], offsets[i + 1])`. Strings of a vocabulary would take some
 * hundred bytes a text more, and a garbage collector that looks at each.
 */
export interface JoinedTexts {
  /** All of them in UTF-8. */
  readonly bytes: Uint8Array;
  /** Where each begins, and behind the last the end of all. */
  readonly offsets: Int32Array;
}

/** Whether a value of unknown origin is joined texts; nothing that was JSON is. */
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

/** `bytes`, and room behind them: for `least` in all, twice as much as before at the least. */
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

/** Whether each of the texts is well-formed UTF-8: all together are, and none begins within a character. */
export function areWellFormed({ bytes, offsets }: JoinedTexts): boolean {
  if (!isUtf8(bytes)) return false;
  for (let i = 0; i + 1 < offsets.length; i++) {
    const at = offsets[i] as number;
    if (at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) return false;
  }
  return true;
}

/** Makes joined texts one by one. */
export class TextJoiner {
  readonly #offsets: Int32Array;
  #bytes: Uint8Array;
  #count = 0;
  #end = 0;

  /** `count`: how many texts come. `room`: bytes that there is room for at first, about as many as come. */
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

  /** The bytes so far, and room for `count` more from `end` on. */
  roomFor(count: number): Uint8Array {
    if (this.#end + count > this.#bytes.length) this.#bytes = extended(this.#bytes, this.#end + count);
    return this.#bytes;
  }

  /** Where the next text begins. */
  get end(): number {
    return this.#end;
  }

  /** The next text is the `count` bytes that were written there. */
  close(count: number): void {
    this.#end += count;
    this.#offsets[++this.#count] = this.#end;
  }

  /** All texts; their count is what was said. */
  join(): JoinedTexts {
    assert(this.#count === this.#offsets.length - 1, 'as many texts were added as were announced');
    // Room that was never written to takes no memory, and a copy of a vocabulary takes as long as what was done with it.
    const isMostlyUsed = this.#end >= this.#bytes.length / 2;
    const bytes = isMostlyUsed ? this.#bytes.subarray(0, this.#end) : this.#bytes.slice(0, this.#end);
    return { bytes, offsets: this.#offsets };
  }
}
