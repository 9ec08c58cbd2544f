import { Actor, openConsumer, openProducer, type RingConsumer, type RingProducer } from '../../actor/index.js';
import type { MaskThreadInit } from './mask-rings.js';

/**
 * A thread that makes masks of grammars beside the steps of its engine. The engine orders them when it chooses tokens.
 * Without orders the thread sleeps and handles no message: closing its rings stops it (`interrupt` of its child spec).
 * The first order loads the code that makes masks, for most models get none: it takes a fifth of the time of their load.
 */
export class MaskThread extends Actor {
  readonly #init: MaskThreadInit;
  readonly #orders: RingConsumer;
  readonly #masks: RingProducer;

  constructor(init: MaskThreadInit) {
    super();
    this.#init = init;
    this.#orders = openConsumer(init.rings.orders);
    this.#masks = openProducer(init.rings.masks);
  }

  override started(): void {
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    this.#orders.waitSync(Infinity);
    if (this.#orders.closed) return;
    const { openMaskQueue } = await import('./mask-queue.js');
    const queue = openMaskQueue(this.#init.vocabulary, (record) => this.#deliver(record));
    while (!this.#orders.closed) {
      this.#orders.drain((record) => queue.take(record));
      if (queue.hasWork) queue.turn();
      else this.#orders.waitSync(Infinity);
    }
  }

  /** The engine takes finished masks at each step. An engine that has ended does not, and then the ring is closed. */
  #deliver(record: readonly Uint8Array[]): void {
    while (!this.#masks.closed && !this.#masks.tryWrite(record)) this.#masks.waitSync(Infinity);
  }
}
