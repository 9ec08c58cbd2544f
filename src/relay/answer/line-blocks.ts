import { MAX_EVENT_BYTES, type SseSegment } from './sse-blocks.js';

const LF = 0x0a;

/** Cuts a stream of JSON texts, one a line, into lines, in pieces of any size. Source: Ollama's streams; ndjson.org. */
export class LineBlocks {
  #held: Uint8Array[] = [];
  #heldSize = 0;
  /** The line is too large to be kept: what comes of it is not read. */
  #isTooLarge = false;
  #unreadBytes = 0;

  /** Bytes of lines that were too large to be kept, since this was asked last. */
  takeUnreadBytes(): number {
    const bytes = this.#unreadBytes;
    this.#unreadBytes = 0;
    return bytes;
  }

  /** Lines that are whole. */
  write(piece: Uint8Array): readonly SseSegment[] {
    const lines: SseSegment[] = [];
    let from = 0;
    for (let end = piece.indexOf(LF); end !== -1; end = piece.indexOf(LF, from)) {
      const bytes = this.#take(piece.subarray(from, end));
      if (this.#isTooLarge) this.#unreadBytes += bytes.length;
      else lines.push({ bytes, isEvent: true });
      this.#isTooLarge = false;
      from = end + 1;
    }
    this.#hold(piece.subarray(from));
    return lines;
  }

  /** Bytes of a line that the stream ended in the middle of. */
  end(): Uint8Array {
    return this.#take(new Uint8Array(0));
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (!this.#isTooLarge && this.#heldSize + bytes.length <= MAX_EVENT_BYTES) {
      this.#held.push(bytes);
      this.#heldSize += bytes.length;
      return;
    }
    this.#isTooLarge = true;
    this.#unreadBytes += this.#take(bytes).length;
  }

  #take(bytes: Uint8Array): Uint8Array {
    if (this.#held.length === 0) return bytes;
    const whole = Buffer.concat([...this.#held, bytes]);
    this.#held = [];
    this.#heldSize = 0;
    return whole;
  }
}
