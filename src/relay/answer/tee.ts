import { createDecoder, type ContentDecoder } from './decoder.js';
import type { ApiDialect } from './dialect.js';
import { JsonAnswer } from './json-answer.js';
import { TokenCounter } from './token-counter.js';
import { isLineType, LineBlocks } from './line-blocks.js';
import { SseBlocks, type SseSegment } from './sse-blocks.js';
import { NO_TOKENS, type AnswerUsage, type CompletionCount } from './answer-usage.js';

/** Facts of an answer that a tee needs. */
export interface TeeOptions {
  readonly dialect: ApiDialect;
  readonly status: number;
  /** Of the answer, as sent. */
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** The relay asked for usage, and the client did not: the chunk that carries only usage is removed. */
  readonly takeOutUsage: boolean;
  /** Estimates the tokens of the prompt, where the runtime does not report them. */
  readonly estimatePrompt: () => number;
}

/**
 * Reads the usage of an answer while its bytes pass unchanged. Other bytes pass at once. Each event waits for its end
 * only if the usage event must be removed from a stream without content-encoding.
 */
export class AnswerTee {
  readonly #meter: TokenCounter;
  readonly #isRead: boolean;
  readonly #takesOut: boolean;
  readonly #blocks: SseBlocks | undefined;
  readonly #lines: LineBlocks | undefined;
  readonly #json: JsonAnswer | undefined;
  readonly #decoder: ContentDecoder | undefined;
  /** Its form cannot be read: the upstream sent a wrong content type, or an unknown encoding. */
  readonly #isOpaque: boolean;
  #wasTakenOut = false;
  #hasTakenOut = false;

  constructor({ dialect, status, contentType = '', contentEncoding, takeOutUsage, estimatePrompt }: TeeOptions) {
    this.#meter = new TokenCounter(dialect, estimatePrompt);
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

  /** Whether bytes may be removed. */
  get takesOut(): boolean {
    return this.#takesOut;
  }

  /** Whether an event was taken out. */
  get hasTakenOut(): boolean {
    return this.#hasTakenOut;
  }

  /** The usage of the read part of the answer. */
  get usageSoFar(): AnswerUsage {
    return this.#meter.usage();
  }

  /** Tokens of the completion so far. */
  get completionTokens(): number {
    return this.#meter.completionTokens;
  }

  /** The known count of them. */
  get count(): CompletionCount {
    return this.#meter.count;
  }

  /** Whether the answer is an error despite its status, so it costs nothing. */
  get isError(): boolean {
    return this.#isRead && this.#meter.isError;
  }

  /**
   * Whether the last of the answer was read: later bytes add nothing to its cost. Of an encoded answer it is not known before its
   * body is over.
   */
  get isWhole(): boolean {
    if (this.#decoder !== undefined) return false;
    return this.#blocks === undefined ? this.#json?.isWhole === true : this.#meter.isWhole;
  }

  /** Whether the last read event may be the last of the answer: a stream may repeat its usage. */
  get mayBeWhole(): boolean {
    return this.#decoder === undefined && this.#blocks !== undefined && this.#meter.mayBeWhole;
  }

  /** Reads a piece; returns the bytes that pass now, held-back bytes included. */
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

  /** A promise to await before the next piece, for a decoder that lags behind. To be called after each `write`. */
  decode(piece: Uint8Array): Promise<void> | undefined {
    return this.#decoder?.write(piece);
  }

  /** The answer is over: returns the held-back bytes of an unfinished event. */
  end(): Uint8Array {
    if (!this.#takesOut || this.#blocks === undefined) return new Uint8Array(0);
    const rest = this.#blocks.end();
    // A last event without its blank line may report usage too; it passes, since no reader takes it for an event.
    if (rest.length > 0) this.#meter.readEvent(rest);
    return rest;
  }

  /** The usage of the answer, once all received bytes are read. An error costs nothing. */
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

  /** The rest of a stream may be a whole event without its blank line. */
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

/** Adds bytes, to the previous piece if they follow it in the same memory: pieces pass as they arrived. */
function append(pieces: Uint8Array[], bytes: Uint8Array): void {
  const last = pieces.at(-1);
  if (last !== undefined && last.buffer === bytes.buffer && last.byteOffset + last.length === bytes.byteOffset) {
    pieces[pieces.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + bytes.length);
  } else pieces.push(bytes);
}

/** The usage of an answer that no dialect reads: only its prompt is known. */
export function unreadUsage(estimatePrompt: () => number): AnswerUsage {
  return { ...NO_TOKENS, promptTokens: estimatePrompt(), isEstimated: true };
}
