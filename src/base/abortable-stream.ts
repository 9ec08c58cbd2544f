/**
 * A stream whose `return()` takes effect at once, even while a `next()` waits. `signal` aborts, the waiting `next()`
 * resolves as done, and `produce` cleans up. An abort of `outer` is passed on with its reason.
 */
export function abortableStream<T>(
  produce: (signal: AbortSignal) => AsyncGenerator<T, void>,
  outer: AbortSignal | undefined,
): AsyncGenerator<T, void> {
  return new AbortableStream(produce, outer);
}

/**
 * The stream of `produce`; `signal`, if given, ends it, even while the consumer waits in `next()`. Without a signal,
 * leaving the stream ends it at once (`abortableStream`).
 */
export function endingStream<T>(
  produce: (signal: AbortSignal) => AsyncGenerator<T, void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void> {
  return signal === undefined ? abortableStream(produce, undefined) : produce(signal);
}

/** A class, since thousands may wait at once: object literals with such methods cost half a kilobyte each. */
class AbortableStream<T> implements AsyncGenerator<T, void> {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #source: AsyncGenerator<T, void>;
  #left = false;
  #numAwaited = 0;

  constructor(produce: (signal: AbortSignal) => AsyncGenerator<T, void>, outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted === true) this.handleEvent();
    else outer?.addEventListener('abort', this, { once: true });
    this.#source = produce(this.#controller.signal);
  }

  /** Passes on an abort of `outer`. */
  handleEvent(): void {
    this.#controller.abort(this.#outer?.reason);
  }

  next(): Promise<IteratorResult<T, void>> {
    if (this.#left) return Promise.resolve(done());
    this.#numAwaited++;
    return this.#source.next().then(
      (result) => {
        this.#numAwaited--;
        if (result.done === true) this.#release();
        return this.#left ? done() : result;
      },
      (error: unknown) => {
        this.#numAwaited--;
        this.#release();
        if (this.#left) return done();
        throw error;
      },
    );
  }

  async return(): Promise<IteratorResult<T, void>> {
    this.#left = true;
    this.#release();
    // Between two items the stream ends like any iterator: no abort, and no error is made just to be dropped.
    if (this.#numAwaited > 0) this.#controller.abort(new DOMException('the stream was left', 'AbortError'));
    await this.#source.return().catch(() => undefined);
    return done();
  }

  async throw(error: unknown): Promise<IteratorResult<T, void>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #release(): void {
    this.#outer?.removeEventListener('abort', this);
  }
}

function done(): IteratorReturnResult<void> {
  return { done: true, value: undefined };
}
