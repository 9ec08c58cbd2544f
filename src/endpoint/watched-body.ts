/** A body that calls `onEnd` when it is over, with whether its reader left before. */
export class WatchedBody implements AsyncIterableIterator<string | Uint8Array> {
  readonly #source: AsyncIterator<string | Uint8Array>;
  readonly #onEnd: (left: boolean) => void;
  #isOver = false;

  constructor(body: AsyncIterable<string | Uint8Array>, onEnd: (left: boolean) => void) {
    this.#source = body[Symbol.asyncIterator]();
    this.#onEnd = onEnd;
  }

  next(): Promise<IteratorResult<string | Uint8Array>> {
    return this.#source.next().then(
      (result) => {
        if (result.done === true) this.#end(false);
        return result;
      },
      (error: unknown) => {
        this.#end(true);
        throw error;
      },
    );
  }

  async return(): Promise<IteratorResult<string | Uint8Array>> {
    this.#end(true);
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(left: boolean): void {
    if (!this.#isOver) this.#onEnd(left);
    this.#isOver = true;
  }
}
