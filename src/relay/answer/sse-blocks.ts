/** Bytes of one event that are kept until its end. The extra chunk of usage has some hundred; a larger event passes unread. */
export const MAX_EVENT_BYTES = 256 * 1024;

/** A segment of a stream: a whole event, from its first field to its blank line, or bytes outside of read events. */
export interface SseSegment {
  readonly bytes: Uint8Array;
  readonly isEvent: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;

/**
 * Cuts a stream of server-sent events into events, with lines that end with LF, CRLF or CR, in pieces of any size. The
 * segments in a row are the stream's bytes. Comments and blank lines before an event are segments of their own and come at
 * once; an event comes when its blank line did. Source: WHATWG HTML, 9.2.5 and 9.2.6.
 */
export class SseBlocks {
  /** Bytes of the event that is read, from earlier pieces. */
  #held: Uint8Array[] = [];
  #heldSize = 0;
  #isInEvent = false;
  /** The event is too large to be kept: its bytes pass. */
  #isTooLarge = false;
  #isLineStart = true;
  #isComment = false;
  /** The last byte was a CR, so a following LF belongs to it. */
  #wasCr = false;
  /** Whether that CR ended the last reported event. */
  #endedEvent = false;
  #unreadBytes = 0;
  readonly #maxEventBytes: number;

  /** `maxEventBytes`: limit of one buffered event; a larger one passes in pieces that are not parsed. */
  constructor(maxEventBytes = MAX_EVENT_BYTES) {
    this.#maxEventBytes = maxEventBytes;
  }

  /** Bytes of events that were too large to be kept, since the last call. */
  takeUnreadBytes(): number {
    const bytes = this.#unreadBytes;
    this.#unreadBytes = 0;
    return bytes;
  }

  /** Whole events, and passing bytes. A LF alone may follow its event's CR as `isEvent`. */
  write(piece: Uint8Array): readonly SseSegment[] {
    const segments: SseSegment[] = [];
    let from = 0;
    let at = 0;
    const tell = (end: number, isEvent: boolean): void => {
      if (this.#isTooLarge) this.#unreadBytes += end - from;
      if (end > from || this.#held.length > 0) segments.push({ bytes: this.#take(piece.subarray(from, end)), isEvent });
      from = end;
    };
    if (piece.length > 0 && this.#wasCr) {
      this.#wasCr = false;
      if (piece[0] === LF) at = 1;
      if (at === 1 && this.#endedEvent) tell(1, true);
    }
    for (; at < piece.length; at++) {
      const byte = piece[at];
      const isEnd = byte === LF || byte === CR;
      if (!isEnd) {
        if (!this.#isLineStart) continue;
        this.#isLineStart = false;
        this.#isComment = byte === COLON;
        if (this.#isInEvent || this.#isComment) continue;
        tell(at, false);
        this.#isInEvent = true;
        continue;
      }
      this.#wasCr = byte === CR && at + 1 === piece.length;
      this.#endedEvent = false;
      if (byte === CR && piece[at + 1] === LF) at++;
      if (this.#isLineStart && this.#isInEvent) {
        this.#endedEvent = this.#wasCr && !this.#isTooLarge;
        tell(at + 1, !this.#isTooLarge);
        this.#isInEvent = false;
        this.#isTooLarge = false;
      }
      this.#isLineStart = true;
    }
    if (from < piece.length) this.#rest(piece.subarray(from), segments);
    return segments;
  }

  /** Bytes of the unfinished last event. */
  end(): Uint8Array {
    return this.#take(new Uint8Array(0));
  }

  /** Keeps the beginning of an event, or passes other bytes. */
  #rest(bytes: Uint8Array, segments: SseSegment[]): void {
    if (this.#isInEvent && !this.#isTooLarge && this.#heldSize + bytes.length <= this.#maxEventBytes) {
      this.#held.push(bytes);
      this.#heldSize += bytes.length;
      return;
    }
    this.#isTooLarge = this.#isInEvent;
    const passed = this.#take(bytes);
    if (this.#isTooLarge) this.#unreadBytes += passed.length;
    segments.push({ bytes: passed, isEvent: false });
  }

  #take(bytes: Uint8Array): Uint8Array {
    if (this.#held.length === 0) return bytes;
    const whole = Buffer.concat([...this.#held, bytes]);
    this.#held = [];
    this.#heldSize = 0;
    return whole;
  }
}

/**
 * The data of an event: its joined `data` lines; undefined if it has none. A byte order mark is not part of a field.
 */
export function dataOf(event: string): string | undefined {
  let data: string | undefined;
  for (const line of event.split(/\r\n|\n|\r/)) {
    const found = /^\ufeff?data(?::\x20?(.*))?$/s.exec(line);
    if (found === null) continue;
    const [, value = ''] = found;
    data = data === undefined ? value : `${data}\n${value}`;
  }
  return data;
}
