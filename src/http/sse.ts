/** What an event stream needs besides its events. */
export interface SseOptions {
  /** The data of the event that ends a whole stream, such as OpenAI's `[DONE]`; absent: it just ends. */
  readonly last?: string;
  /** A comment is sent when nothing else was for so long, so that proxies and clients do not give up. */
  readonly keepAliveMs: number;
  /** The data of the event that tells of a source that failed. */
  readonly onError: (error: unknown) => string;
}

const PING = ': ping\n\n';

/**
 * Events as a body of text/event-stream: each string, which has no line break, is one event's data. Ends with
 * the event of `last`; a source that fails ends it with one event of `onError` instead. Its `return()` ends the source.
 */
export function sseBody(events: AsyncIterable<string>, options: SseOptions): AsyncIterableIterator<string, undefined> {
  return new SseBody(events[Symbol.asyncIterator](), options);
}

/** A class, since thousands may wait at once, each in as little as a promise and a timer take. */
class SseBody implements AsyncIterableIterator<string, undefined> {
  readonly #source: AsyncIterator<string>;
  readonly #options: SseOptions;
  /** Whoever waits for a piece. */
  #reader: ((result: IteratorResult<string, undefined>) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** A piece that came when nobody waited for it, since a comment had been given instead. */
  #ready: string | undefined;
  #isAsking = false;
  /** The source is over, or was left. */
  #isOver = false;

  constructor(source: AsyncIterator<string>, options: SseOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** One call at a time. */
  next(): Promise<IteratorResult<string, undefined>> {
    const ready = this.#ready;
    this.#ready = undefined;
    if (ready !== undefined) return Promise.resolve({ done: false, value: ready });
    if (this.#isOver) return Promise.resolve(OVER);
    return new Promise((resolve) => {
      this.#reader = resolve;
      this.#timer = setTimeout(() => this.#give(PING), this.#options.keepAliveMs);
      if (!this.#isAsking) this.#ask();
    });
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    const wasOver = this.#isOver;
    this.#isOver = true;
    this.#ready = undefined;
    clearTimeout(this.#timer);
    this.#reader?.(OVER);
    if (!wasOver) await this.#source.return?.();
    return OVER;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #ask(): void {
    this.#isAsking = true;
    this.#source.next().then(
      ({ done, value }) => this.#arrive(done === true, () => toEvent(done === true ? this.#options.last : value)),
      (error: unknown) => this.#arrive(true, () => toEvent(this.#options.onError(error))),
    );
  }

  #arrive(isLast: boolean, write: () => string | undefined): void {
    this.#isAsking = false;
    if (this.#isOver) return;
    this.#isOver = isLast;
    const event = write();
    if (this.#reader !== undefined) this.#give(event);
    else this.#ready = event;
  }

  /** Gives its reader an event, or the end where there is none. */
  #give(value: string | undefined): void {
    clearTimeout(this.#timer);
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.(value === undefined ? OVER : { done: false, value });
  }
}

function toEvent(data: string | undefined): string | undefined {
  return data === undefined ? undefined : `data: ${data}\n\n`;
}

const OVER: IteratorReturnResult<undefined> = { done: true, value: undefined };
