import { MAX_EVENT_BYTES } from './sse-blocks.js';

const LF = 0x0a;

/** Types of streams of JSON texts, one a line. */
const LINES = /^application\/(?:x-)?(?:ndjson|jsonl|json-lines|jsonlines)$/;

/** Whether an answer of a content type, without its parameters and in small letters, is such a stream. */
export function isLineType(type: string): boolean {
  return LINES.test(type);
}

/** Cuts a stream of JSON texts, one a line, into lines, in pieces of any size. Source: Ollama's streams; ndjson.org. */
export class LineBlocks {
  readonly #onUnread: (bytes: number) => void;
  /** The current line from earlier pieces; undefined: it is too large to be kept, and its rest is not read. */
  #begun: Buffer | undefined = Buffer.alloc(0);

  /** `onUnread` gets the number of bytes of lines that are too large. */
  constructor(onUnread: (bytes: number) => void) {
    this.#onUnread = onUnread;
  }

  /** Whole lines, as texts. */
  write(piece: Uint8Array): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = piece.indexOf(LF); end !== -1; end = piece.indexOf(LF, from)) {
      this.#hold(piece.subarray(from, end));
      lines.push(this.end());
      from = end + 1;
    }
    this.#hold(piece.subarray(from));
    return lines;
  }

  /** The unfinished last line; empty if there is none, or if it was too large. */
  end(): string {
    const line = this.#begun?.toString('utf8') ?? '';
    this.#begun = Buffer.alloc(0);
    return line;
  }

  #hold(bytes: Uint8Array): void {
    const begun = this.#begun;
    const isTooLarge = begun === undefined || begun.length + bytes.length > MAX_EVENT_BYTES;
    if (isTooLarge) this.#onUnread((begun?.length ?? 0) + bytes.length);
    this.#begun = isTooLarge ? undefined : Buffer.concat([begun, bytes]);
  }
}
