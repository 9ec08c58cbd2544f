import { AppError, isAppError, parseInOrder, toErrorData, isJsonObject } from '../../base/index.js';
import { dataOf, SseBlocks, type RelayedBody } from '../../relay/index.js';
import {
  brokeOff,
  ChatAnswerReader,
  readFault,
  toEventText,
  unreadFault,
  type TranslatedAnswer,
  type UpstreamFault,
} from '../../translation/index.js';

/** Bytes of one event, or of a whole answer, that are kept while it is read. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;
/** Keeps a stream alive while its runtime sends only comments. */
const PING = ': ping\n\n';
const COLON = 0x3a;

type Result = IteratorResult<Uint8Array, undefined>;
const OVER: Result = { done: true, value: undefined };

/** Options of an answer in chat completions that is translated. */
export interface TranslatedBodyOptions {
  /** The runtime's answer on its way: it is metered and cut as any. */
  readonly source: RelayedBody;
  readonly status: number;
  /** The runtime answers with events. */
  readonly isEvents: boolean;
  readonly reader: ChatAnswerReader;
  readonly answer: TranslatedAnswer;
  /** The client asked for a stream. */
  readonly isStream: boolean;
}

/** The body of an answer in the API of its client, made of chat completions as they come. One reader, one call at a time. */
export class TranslatedBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #options: TranslatedBodyOptions;
  readonly #blocks = new SseBlocks(MAX_EVENT_BYTES);
  readonly #whole: Uint8Array[] = [];
  #wholeBytes = 0;
  #ready: string[] = [];
  #isOver = false;
  /** The end of the choice or of the stream was read. */
  #isEnded = false;
  #hasFailed = false;

  constructor(options: TranslatedBodyOptions) {
    this.#options = options;
  }

  /** The runtime sent something other than a stream. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  async next(): Promise<Result> {
    for (;;) {
      if (this.#ready.length > 0) return { done: false, value: Buffer.from(this.#ready.splice(0).join('')) };
      if (this.#isOver) return OVER;
      try {
        const next = await this.#read();
        if (next?.done === true) this.#finish();
        else if (next !== undefined) this.#take(next.value);
      } catch (error) {
        await this.return();
        throw error;
      }
    }
  }

  /** The client has left. */
  async return(): Promise<Result> {
    this.#isOver = true;
    this.#ready = [];
    await this.#options.source.return();
    return OVER;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** A piece of the runtime's answer. Undefined: it broke, and the answer has the error. Errors: the reason of the request's signal. */
  async #read(): Promise<Result | undefined> {
    try {
      return await this.#options.source.next();
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.#fail(toFault(error));
      return undefined;
    }
  }

  #take(piece: Uint8Array): void {
    if (!this.#options.isEvents) {
      this.#wholeBytes += piece.length;
      if (this.#wholeBytes > MAX_WHOLE_BYTES) this.#fail(tooLarge());
      else this.#whole.push(piece);
      return;
    }
    for (const { bytes, isEvent } of this.#blocks.write(piece)) {
      if (this.#isOver) return;
      if (isEvent) this.#takeEvent(bytes);
      else if (bytes[0] === COLON && this.#options.isStream) this.#ready.push(PING);
    }
    if (this.#blocks.takeUnreadBytes() > 0) this.#fail(tooLarge());
  }

  #takeEvent(bytes: Uint8Array): void {
    const data = dataOf(Buffer.from(bytes).toString('utf8'))?.trim();
    if (data === undefined || data === '') return;
    if (data === '[DONE]') {
      this.#isEnded = true;
      return;
    }
    this.#takeObject(data);
  }

  #takeObject(text: string): void {
    const { reader, answer, isStream } = this.#options;
    try {
      const object = parse(text);
      const fault = readFault(object);
      if (fault !== undefined) return this.#fail(fault);
      if (!isJsonObject(object)) throw brokeOff();
      for (const event of reader.add(object)) this.#write(isStream, answer.add(event));
    } catch (error) {
      this.#fail(toFault(error));
    }
  }

  /** The runtime has finished. */
  #finish(): void {
    const { source, reader, answer, isEvents, isStream, status } = this.#options;
    if (this.#isOver) return;
    if (isEvents) this.#takeEvent(this.#blocks.end());
    else {
      const text = Buffer.concat(this.#whole).toString('utf8');
      if (status < 200 || status > 299) return this.#refuse(text);
      this.#takeObject(text);
    }
    if (this.#isOver) return;
    if (!this.#isEnded && !reader.isEnded) return this.#fail(toFault(brokeOff()));
    try {
      const { usage } = source;
      for (const event of reader.finish(usage, !usage.isEstimated)) this.#write(isStream, answer.add(event));
      if (!isStream) this.#ready.push(answer.toJson(answer.toWhole()));
      this.#isOver = true;
    } catch (error) {
      this.#fail(toFault(error));
    }
  }

  /** An answer that is an error. */
  #refuse(text: string): void {
    const { answer, status } = this.#options;
    let fault: UpstreamFault | undefined;
    try {
      fault = readFault(JSON.parse(text));
    } catch {
      // Not JSON: a web page, or nothing.
    }
    this.#ready.push(JSON.stringify(answer.toError(fault ?? unreadFault(status), status)));
    this.#isOver = true;
  }

  #write(isStream: boolean, objects: readonly object[]): void {
    if (isStream) for (const object of objects) this.#ready.push(toEventText(this.#options.answer, object));
  }

  /** Ends the answer with an error. A whole answer has not begun yet: its status shows the error. */
  #fail(fault: UpstreamFault): void {
    const { answer, isStream, source } = this.#options;
    this.#hasFailed = true;
    if (isStream) this.#write(true, answer.fail(fault));
    else this.#ready.push(JSON.stringify(answer.toError(fault, 502)));
    this.#isOver = true;
    void source.return();
  }
}

function parse(text: string): unknown {
  try {
    return parseInOrder(text);
  } catch {
    throw new AppError('upstream_error', "the runtime's answer is no JSON", { reason: 'not_json' });
  }
}

function toFault(error: unknown): UpstreamFault {
  // A bug of ours ends the stream as every failure does.
  if (!isAppError(error)) throw error;
  const { code, message } = toErrorData(error);
  return { message, code, type: 'server_error', param: undefined };
}

function tooLarge(): UpstreamFault {
  const message = 'the runtime answered with more at once than the gateway translates; ask for less';
  return { message, code: 'upstream_error', type: 'server_error', param: undefined };
}
