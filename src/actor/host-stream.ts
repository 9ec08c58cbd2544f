/** Items of a stream that travel together. */
export interface StreamPart {
  readonly items: readonly unknown[];
  readonly done: boolean;
}

/** How many items a stream may be ahead of its reader: enough to fill a message, few enough to stop soon. */
export const STREAM_WINDOW = 16;

/**
 * The sending end of a stream. It runs the generator up to `STREAM_WINDOW` items ahead of its reader and then pauses it
 * (back-pressure). One message carries all items since the last message.
 */
export class HostStream {
  readonly #generator: AsyncGenerator;
  readonly #onError: (thrown: unknown) => void;
  #ready: unknown[] = [];
  #finished = false;
  #failed: { readonly thrown: unknown } | undefined;
  #running = false;
  #wake: (() => void) | undefined;

  /** `onError` is called when an error happens; the reader gets the error after the items before it. */
  constructor(generator: AsyncGenerator, onError: (thrown: unknown) => void) {
    this.#generator = generator;
    this.#onError = onError;
  }

  /** The ready items, at least one unless the stream ended. Rejects with the generator's exception. */
  async pull(): Promise<StreamPart> {
    void this.#run();
    while (this.#ready.length === 0 && !this.#finished) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const items = this.#ready;
    this.#ready = [];
    if (items.length === 0 && this.#failed !== undefined) throw this.#failed.thrown;
    const done = this.#finished && this.#failed === undefined;
    if (!done) void this.#run();
    return { items, done };
  }

  /** Ends the generator and waits for its `finally` blocks. */
  async close(): Promise<void> {
    this.#finished = true;
    this.#ready = [];
    this.#wake?.();
    await this.#generator.return(undefined);
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      while (!this.#finished && this.#ready.length < STREAM_WINDOW) {
        const next = await this.#generator.next();
        if (next.done === true) this.#finished = true;
        else if (!this.#finished) this.#ready.push(next.value);
        this.#wake?.();
      }
    } catch (thrown) {
      if (!this.#finished) this.#onError(thrown);
      this.#finished = true;
      this.#failed = { thrown };
      this.#wake?.();
    } finally {
      this.#running = false;
    }
  }
}
