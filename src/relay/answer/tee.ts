import { createDecoder, type Decoder } from './decoder.js';
import type { Dialect } from './dialect.js';
import { JsonAnswer } from './json-answer.js';
import { Meter } from './meter.js';
import { isLineType, LineBlocks } from './line-blocks.js';
import { SseBlocks, type SseSegment } from './sse-blocks.js';
import { NO_TOKENS, type AnswerUsage, type CompletionCount } from './answer-usage.js';

/** What a tee must know of an answer. */
export interface TeeOptions {
  readonly dialect: Dialect;
  readonly status: number;
  /** Of the answer, as sent. */
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Usage was asked for though the client had not: the chunk that carries nothing else is taken out again. */
  readonly takeOutUsage: boolean;
  /** Tokens of the prompt, where the runtime does not tell them. */
  readonly estimatePrompt: () => number;
}

/**
 * Reads the usage of an answer while its bytes pass. They pass as they are, but for one event, where that is asked for and
 * the answer is a stream without content-encoding: then an event waits for its end, and everything else passes at once.
 */
export class AnswerTee {
  readonly #meter: Meter;
  readonly #isRead: boolean;
  readonly #takesOut: boolean;
  readonly #blocks: SseBlocks | undefined;
  readonly #lines: LineBlocks | undefined;
  readonly #json: JsonAnswer | undefined;
  readonly #decoder: Decoder | undefined;
  /** It has no form that can be read: an upstream says a wrong type, or an encoding that is not known here. */
  readonly #isOpaque: boolean;
  #wasTakenOut = false;
  #hasTakenOut = false;

  constructor({ dialect, status, contentType = '', contentEncoding, takeOutUsage, estimatePrompt }: TeeOptions) {
    this.#meter = new Meter(dialect, estimatePrompt);
    const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const encoding = contentEncoding?.trim().toLowerCase() ?? '';
    const isPlain = encoding === '' || encoding === 'identity';
    this.#isRead = status >= 200 && status < 300;
    if (this.#isRead && type === 'text/event-stream') this.#blocks = new SseBlocks();
    if (this.#isRead && /^application\/(?:.*\+)?json$/.test(type)) this.#json = new JsonAnswer(this.#meter, dialect);
    if (this.#isRead && isLineType(type)) {
      this.#lines = new LineBlocks((bytes) => this.#meter.countUnread(bytes));
    }
    const reads = this.#blocks !== undefined || this.#json !== undefined || this.#lines !== undefined;
    this.#decoder = isPlain || !reads ? undefined : createDecoder(encoding, (piece) => this.#read(piece));
    this.#takesOut = takeOutUsage && isPlain && this.#blocks !== undefined;
    this.#isOpaque = this.#isRead && (!reads || (!isPlain && this.#decoder === undefined));
  }

  /** Whether the bytes that pass may become fewer. */
  get takesOut(): boolean {
    return this.#takesOut;
  }

  /** Whether an event was taken out. */
  get hasTakenOut(): boolean {
    return this.#hasTakenOut;
  }

  /** What the answer cost, as far as it was read. */
  get usageSoFar(): AnswerUsage {
    return this.#meter.usage();
  }

  /** Tokens of the completion so far. */
  get completionTokens(): number {
    return this.#meter.completionTokens;
  }

  /** What is known of them. */
  get count(): CompletionCount {
    return this.#meter.count;
  }

  /** Whether the answer is an error although its status says otherwise, so that it costs nothing. */
  get isError(): boolean {
    return this.#isRead && this.#meter.isError;
  }

  /**
   * Whether the last of the answer was read: what follows adds nothing to what it costs. Of an encoded answer it is not known
   * before its body is over.
   */
  get isWhole(): boolean {
    if (this.#decoder !== undefined) return false;
    return this.#blocks === undefined ? this.#json?.isWhole === true : this.#meter.isWhole;
  }

  /** Whether what was read last may be the last of the answer: a stream may tell its usage again. */
  get mayBeWhole(): boolean {
    return this.#decoder === undefined && this.#blocks !== undefined && this.#meter.mayBeWhole;
  }

  /** Reads a piece; what of it, and of what was held back, passes now. */
  write(piece: Uint8Array): readonly Uint8Array[] {
    if (this.#takesOut && this.#blocks !== undefined) {
      const passed = this.#filter(this.#blocks.write(piece));
      this.#countUnread(this.#blocks);
      return passed;
    }
    if (this.#isOpaque) this.#meter.countUnread(piece.length);
    else if (this.#decoder === undefined) this.#read(piece);
    return [piece];
  }

  /** What must be awaited before the next piece: a decoder that lags behind. To be called after each `write`. */
  decode(piece: Uint8Array): Promise<void> | undefined {
    return this.#decoder?.write(piece);
  }

  /** The answer is over: what was held back of an event that never ended. */
  end(): Uint8Array {
    if (!this.#takesOut || this.#blocks === undefined) return new Uint8Array(0);
    const rest = this.#blocks.end();
    // A last event without its blank line tells usage too; it passes, since no reader takes it for an event.
    if (rest.length > 0) this.#meter.readEvent(rest);
    return rest;
  }

  /** What the answer cost, once all that came is read. An answer of an error costs nothing. */
  async usage(): Promise<AnswerUsage> {
    await this.#decoder?.end();
    this.#json?.end();
    if (!this.#takesOut) this.#readRest();
    return this.#isRead ? this.#meter.usage() : NO_TOKENS;
  }

  #read(piece: Uint8Array): void {
    this.#json?.write(piece);
    for (const { bytes, isEvent } of this.#blocks?.write(piece) ?? []) if (isEvent) this.#meter.readEvent(bytes);
    for (const line of this.#lines?.write(piece) ?? []) this.#meter.readData(line);
    this.#countUnread(this.#blocks);
  }

  /** What a stream ended in the middle of may be all of an event, but for its blank line. */
  #readRest(): void {
    const event = this.#blocks?.end();
    if (event !== undefined && event.length > 0) this.#meter.readEvent(event);
    const line = this.#lines?.end() ?? '';
    if (line !== '') this.#meter.readData(line);
  }

  #countUnread(blocks: SseBlocks | undefined): void {
    const bytes = blocks?.takeUnreadBytes() ?? 0;
    if (bytes > 0) this.#meter.countUnread(bytes);
  }

  #filter(segments: readonly SseSegment[]): readonly Uint8Array[] {
    const passed: Uint8Array[] = [];
    for (const { bytes, isEvent } of segments) {
      // A lone LF ends the CR of the event before it.
      if (isEvent && bytes.length > 1) {
        this.#wasTakenOut = this.#meter.readEvent(bytes);
        this.#hasTakenOut ||= this.#wasTakenOut;
      } else if (!isEvent) this.#wasTakenOut = false;
      if (!this.#wasTakenOut) append(passed, bytes);
    }
    return passed;
  }
}

/** Adds bytes, to those before them where they follow in the same memory: pieces pass as they came. */
function append(pieces: Uint8Array[], bytes: Uint8Array): void {
  const last = pieces.at(-1);
  if (last !== undefined && last.buffer === bytes.buffer && last.byteOffset + last.length === bytes.byteOffset) {
    pieces[pieces.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + bytes.length);
  } else pieces.push(bytes);
}

/** Usage of an answer that no dialect reads: nothing is known but its prompt. */
export function unreadUsage(estimatePrompt: () => number): AnswerUsage {
  return { ...NO_TOKENS, promptTokens: estimatePrompt(), isEstimated: true };
}
