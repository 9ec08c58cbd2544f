/** How the items of a stream become the text of a body. */
export interface FrameOptions<T> {
  readonly frame: (item: T) => string;
  /** The end of a stream that did not fail. */
  readonly end: string;
  /** The piece that tells of a source that failed; it is the last. */
  readonly onError: (error: unknown) => string;
  /** Sent after `keepAliveMs` without data: proxies and clients must not give up. Absent: nothing. */
  readonly ping?: string | undefined;
  readonly keepAliveMs: number;
  /** The first item, where it was asked for already. */
  readonly first?: Promise<IteratorResult<T, unknown>> | undefined;
}

/** A body that says when it is over, and whether its reader left before. */
export interface WatchableBody<T = string> extends AsyncIterableIterator<T, undefined> {
  /** Sets the one listener, which is called once. */
  watch(onEnd: (left: boolean) => void): void;
}

/** The items of `source` as a body of text, each as `frame` writes it, when it comes. Its `return()` ends the source. */
export function framedBody<T>(source: AsyncIterator<T, unknown>, options: FrameOptions<T>): WatchableBody {
  return new FramedBody(source, options);
}

/** Whether a body tells by itself when it is over. */
export function isWatchable(body: AsyncIterable<unknown>): body is WatchableBody<string | Uint8Array> {
  return 'watch' in body && typeof body.watch === 'function';
}

/** A class, since thousands may wait at once, each in as little as a promise and a timer take. */
class FramedBody<T> implements WatchableBody {
  readonly #source: AsyncIterator<T, unknown>;
  readonly #options: Omit<FrameOptions<T>, 'first'>;
  #first: FrameOptions<T>['first'];
  #onEnd: ((left: boolean) => void) | undefined;
  /** Resolves the pending `next()`. */
  #reader: ((result: IteratorResult<string, undefined>) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** A piece that came while no `next()` was pending: the last one was answered with a ping. */
  #ready: string | undefined;
  #isAsking = false;
  /** The source is over, or was left. */
  #isOver = false;

  constructor(source: AsyncIterator<T, unknown>, { first, ...options }: FrameOptions<T>) {
    this.#source = source;
    this.#first = first;
    this.#options = options;
  }

  /** Sets the one listener: called when the body is over, with whether its reader left before. */
  watch(onEnd: (left: boolean) => void): void {
    this.#onEnd = onEnd;
  }

  /** One call at a time. */
  next(): Promise<IteratorResult<string, undefined>> {
    const ready = this.#ready;
    this.#ready = undefined;
    if (ready !== undefined) return Promise.resolve({ done: false, value: ready });
    if (this.#isOver) {
      this.#end(false);
      return Promise.resolve(OVER);
    }
    return new Promise((resolve) => {
      this.#reader = resolve;
      const { ping, keepAliveMs } = this.#options;
      if (ping !== undefined) this.#timer = setTimeout(() => this.#give(ping), keepAliveMs);
      if (!this.#isAsking) this.#ask();
    });
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    const wasOver = this.#isOver;
    this.#isOver = true;
    this.#ready = undefined;
    clearTimeout(this.#timer);
    this.#reader?.(OVER);
    this.#end(true);
    if (!wasOver) await this.#source.return?.();
    return OVER;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(left: boolean): void {
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    onEnd?.(left);
  }

  #ask(): void {
    this.#isAsking = true;
    const next = this.#first ?? this.#source.next();
    this.#first = undefined;
    const { frame, end, onError } = this.#options;
    next.then(
      (result) => this.#arrive(result.done === true, () => (result.done === true ? end : frame(result.value))),
      (error: unknown) => this.#arrive(true, () => onError(error)),
    );
  }

  #arrive(isLast: boolean, write: () => string): void {
    this.#isAsking = false;
    if (this.#isOver) return;
    this.#isOver = isLast;
    if (this.#reader === undefined) this.#ready = write();
    else this.#give(write());
  }

  #give(value: string): void {
    clearTimeout(this.#timer);
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.({ done: false, value });
  }
}

const OVER: IteratorReturnResult<undefined> = { done: true, value: undefined };
