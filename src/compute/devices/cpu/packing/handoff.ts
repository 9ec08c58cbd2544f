/** A queue from one loop to another. It has no limit of its own: the memory of the producing loop bounds it. */
export class Handoff<T> {
  readonly #waiting: T[] = [];
  #taker: { readonly resolve: (thing: T) => void; readonly reject: (error: unknown) => void } | undefined;
  #failure: { readonly error: unknown } | undefined;

  push(thing: T): void {
    const taker = this.#taker;
    this.#taker = undefined;
    if (taker === undefined) this.#waiting.push(thing);
    else taker.resolve(thing);
  }

  /** Ends the queue. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#taker?.reject(error);
    this.#taker = undefined;
  }

  /** One call at a time. Rejects with the error of `fail`, after all earlier items were taken. */
  take(): Promise<T> {
    const [thing] = this.#waiting.splice(0, 1);
    if (thing !== undefined) return Promise.resolve(thing);
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return new Promise((resolve, reject) => (this.#taker = { resolve, reject }));
  }
}
