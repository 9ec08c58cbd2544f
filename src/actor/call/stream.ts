import { isAppError } from '../../base/index.js';
import type { CallOptions, CallTable } from './calls.js';
import type { StreamPart } from '../host-stream.js';
import { takeSignals } from './signals.js';

/** Which stream to open, where. */
export interface StreamOrder {
  readonly actor: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly options: CallOptions;
  /** The instance to open it on, when the first item is asked for. */
  readonly open: () => Promise<CallTable>;
  /** Closes streams whose iterator was garbage-collected before its end. */
  readonly dropped: FinalizationRegistry<StreamReader>;
}

/** The receiving end of one opened stream. Holds no reference to the iterator that the caller has. */
export class StreamReader {
  readonly #order: StreamOrder;
  readonly #sent: { args: readonly unknown[]; signals: readonly AbortSignal[] };
  #table: CallTable | undefined;
  #callId = 0;
  #items: readonly unknown[] = [];
  #next = 0;
  #state: 'new' | 'open' | 'last' | 'ended' = 'new';

  constructor(order: StreamOrder) {
    this.#order = order;
    this.#sent = takeSignals(order.args);
  }

  /** The next item. After an error or the end there is nothing more. */
  async next(): Promise<IteratorResult<unknown, undefined>> {
    for (;;) {
      if (this.#next < this.#items.length) return { done: false, value: this.#items[this.#next++] };
      if (this.#state === 'ended' || this.#state === 'last') {
        this.#state = 'ended';
        return { done: true, value: undefined };
      }
      const part = await this.#pull();
      this.#items = part.items;
      this.#next = 0;
      if (part.done) {
        this.#state = 'last';
        this.#table?.leave();
      }
    }
  }

  /** Leaves the stream early: the generator's `finally` blocks run before this settles. */
  async close(): Promise<void> {
    const open = this.#state === 'open';
    this.#state = 'ended';
    this.#items = [];
    const table = this.#table;
    if (!open || table === undefined) return;
    const closing = table.link.close(this.#callId);
    const done = (): void => table.leave();
    closing.then(done, done);
    await table.wait(this.#callId, this.#what(), closing, { ...this.#order.options, signal: undefined });
  }

  async #pull(): Promise<StreamPart> {
    const { method, open, options } = this.#order;
    try {
      if (this.#state === 'new') {
        this.#table = await open();
        this.#callId = this.#table.enter();
        this.#state = 'open';
        const first = this.#table.link.pull(this.#callId, method, this.#sent.args);
        return await this.#table.wait(this.#callId, this.#what(), first, options, this.#sent.signals);
      }
      const table = this.#table as CallTable;
      const part = table.link.pull(this.#callId, method, []);
      return await table.wait(this.#callId, this.#what(), part, options, this.#sent.signals);
    } catch (thrown) {
      this.#abandon();
      throw thrown;
    }
  }

  /** After an error: the host drops the rest of this stream. */
  #abandon(): void {
    if (this.#state === 'open' && this.#table !== undefined) {
      const table = this.#table;
      const done = (): void => table.leave();
      table.link.close(this.#callId).then(done, done);
    }
    this.#state = 'ended';
  }

  #what(): string {
    return `${this.#order.actor}.${this.#order.method}()`;
  }
}

/** The stream of an `async *` method. Nothing is sent before the consumer asks for the first item. */
export function createStream(order: StreamOrder): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const reader = new StreamReader(order);
      let last: Promise<unknown> = Promise.resolve();
      const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
        const turn = last.then(run, run);
        last = turn.catch(() => {});
        return turn;
      };
      const iterator: AsyncIterator<unknown, undefined> = {
        async next() {
          const result = await inTurn(() => reader.next());
          void iterator; // a pending `next()` holds the iterator, so the registry cannot drop it
          return result;
        },
        async return() {
          order.dropped.unregister(reader);
          await reader.close();
          return { done: true, value: undefined };
        },
      };
      order.dropped.register(iterator, reader, reader);
      return iterator;
    },
  };
}

/** A registry that closes dropped streams. Each actor has its own, so no module state is shared. */
export function createDropRegistry(): FinalizationRegistry<StreamReader> {
  return new FinalizationRegistry((reader) => {
    reader.close().catch((thrown: unknown) => {
      // The actor may be gone by now, and its streams with it.
      if (!isAppError(thrown)) throw thrown;
    });
  });
}
