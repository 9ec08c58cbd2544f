import { createDecoder, type Decoder } from './decoder.js';
import type { Dialect } from './dialect.js';
import { JsonAnswer } from './json-answer.js';
import { Meter } from './meter.js';
import { SseBlocks, type SseSegment } from './sse-blocks.js';
import { estimateText, type AnswerUsage } from './usage.js';

/** What a tee must know of an answer. */
export interface TeeOptions {
  readonly dialect: Dialect;
  readonly status: number;
  /** Of the answer, as sent. */
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Usage was asked for though the client had not: the chunk that carries nothing else is taken out again. */
  readonly takeOutUsage: boolean;
  /** Of the request, where the runtime does not tell what the prompt had. */
  readonly promptBytes: number;
}

/**
 * Reads the usage of an answer while its bytes pass. They pass as they are, but for one event, where that is asked for and
 * the answer is a stream without content-encoding: then an event waits for its end, and everything else passes at once.
 */
export class AnswerTee {
  readonly #meter: Meter;
  readonly #isRead: boolean;
  readonly #hasText: boolean;
  readonly #takesOut: boolean;
  readonly #blocks: SseBlocks | undefined;
  readonly #json: JsonAnswer | undefined;
  readonly #decoder: Decoder | undefined;
  /** It has no form that can be read: an upstream says a wrong type, or an encoding that is not known here. */
  readonly #isOpaque: boolean;
  #opaqueBytes = 0;
  #wasTakenOut = false;
  #hasTakenOut = false;

  constructor({ dialect, status, contentType = '', contentEncoding, takeOutUsage, promptBytes }: TeeOptions) {
    this.#meter = new Meter(dialect, promptBytes);
    const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const encoding = contentEncoding?.trim().toLowerCase() ?? '';
    const isPlain = encoding === '' || encoding === 'identity';
    this.#hasText = dialect.bodyKeys.length > 0;
    this.#isRead = status >= 200 && status < 300;
    if (this.#isRead && type === 'text/event-stream') this.#blocks = new SseBlocks();
    if (this.#isRead && /^application\/(?:.*\+)?json$/.test(type)) this.#json = new JsonAnswer(this.#meter, dialect);
    const reads = this.#blocks !== undefined || this.#json !== undefined;
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
    return { ...this.#meter.usage(), completionTokens: this.completionTokens };
  }

  /** Tokens of the completion so far. */
  get completionTokens(): number {
    return this.#meter.completionTokens + (this.#hasText ? estimateText(this.#opaqueBytes) : 0);
  }

  /**
   * Whether the last of the answer was read: what follows adds nothing to what it costs. Of an encoded answer it is not known
   * before its body is over.
   */
  get isWhole(): boolean {
    if (this.#decoder !== undefined) return false;
    return this.#blocks === undefined ? this.#json?.isWhole === true : this.#meter.isWhole;
  }

  /** Reads a piece; what of it, and of what was held back, passes now. */
  write(piece: Uint8Array): readonly Uint8Array[] {
    if (this.#takesOut && this.#blocks !== undefined) {
      const passed = this.#filter(this.#blocks.write(piece));
      this.#countUnread(this.#blocks);
      return passed;
    }
    if (this.#isOpaque) this.#opaqueBytes += piece.length;
    else if (this.#decoder === undefined) this.#read(piece);
    return [piece];
  }

  /** What must be awaited before the next piece: a decoder that lags behind. To be called after each `write`. */
  decode(piece: Uint8Array): Promise<void> | undefined {
    return this.#decoder?.write(piece);
  }

  /** The answer is over: what was held back of an event that never ended. */
  end(): Uint8Array {
    return this.#takesOut && this.#blocks !== undefined ? this.#blocks.end() : new Uint8Array(0);
  }

  /** What the answer cost, once all that came is read. An answer of an error costs nothing. */
  async usage(): Promise<AnswerUsage> {
    await this.#decoder?.end();
    this.#json?.end();
    if (this.#isRead) return this.usageSoFar;
    return { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0, isEstimated: false };
  }

  #read(piece: Uint8Array): void {
    this.#json?.write(piece);
    if (this.#blocks === undefined) return;
    for (const { bytes, isEvent } of this.#blocks.write(piece)) if (isEvent) this.#meter.readEvent(bytes);
    this.#countUnread(this.#blocks);
  }

  #countUnread(blocks: SseBlocks): void {
    const bytes = blocks.takeUnreadBytes();
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

/** Usage of an answer that no dialect reads: nothing is known but the size of the request. */
export function unreadUsage(promptBytes: number): AnswerUsage {
  return {
    promptTokens: estimateText(promptBytes),
    completionTokens: 0,
    cachedTokens: 0,
    reasoningTokens: 0,
    isEstimated: true,
  };
}
