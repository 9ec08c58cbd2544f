import {
  Actor,
  createRing,
  openConsumer,
  openProducer,
  type ChildSpec,
  type RingConsumer,
  type RingHandle,
  type RingProducer,
} from '../../actor/index.js';
import { locate } from '../../base/index.js';
import { openVocabulary, type TokenMask } from '../../grammar/index.js';
import { MaskQueue } from './mask-queue.js';
import { maskRecord, masksBytes, ORDERS_BYTES } from './mask-records.js';

/** Where this actor's class is imported from. Errors: `package_not_found`. */
export function maskThreadModule(): URL {
  return locate('dist/src/engine/masks/mask-thread.js');
}

/** The rings between an engine and its mask thread. */
export interface MaskRings {
  readonly orders: RingHandle;
  readonly masks: RingHandle;
}

/** What a mask thread is made from. */
export interface MaskThreadInit {
  /** What `toBytes` of the vocabulary gave, in shared memory. */
  readonly vocabulary: Uint8Array;
  readonly rings: MaskRings;
}

/** New rings, before each start of engine and mask thread. */
export function createMaskRings(vocabSize: number): MaskRings {
  return {
    orders: createRing({ capacityBytes: ORDERS_BYTES }),
    masks: createRing({ capacityBytes: masksBytes(vocabSize) }),
  };
}

/** The thread in the engine's tree; `rings` gives those that were made last. */
export function maskThreadSpec(
  common: Pick<ChildSpec, 'restart' | 'shutdownMs'>,
  vocabulary: Uint8Array,
  rings: () => MaskRings,
): ChildSpec {
  return {
    ...common,
    id: 'masks',
    actor: { module: maskThreadModule(), name: 'MaskThread' },
    init: (): MaskThreadInit => ({ vocabulary, rings: rings() }),
    placement: 'thread',
    interrupt: () => closeMaskRings(rings()),
  };
}

/** Ends whoever waits at the rings; from any thread. */
export function closeMaskRings({ orders, masks }: MaskRings): void {
  openProducer(orders).close();
  openProducer(masks).close();
}

/**
 * A thread that makes masks of grammars beside the steps of its engine, which orders them as it chooses tokens. It sleeps
 * where nothing is ordered, and hears no message: whoever stops it closes its rings (`interrupt` of its child spec).
 */
export class MaskThread extends Actor {
  readonly #orders: RingConsumer;
  readonly #masks: RingProducer;
  readonly #queue: MaskQueue;

  constructor({ vocabulary, rings }: MaskThreadInit) {
    super();
    this.#orders = openConsumer(rings.orders);
    this.#masks = openProducer(rings.masks);
    this.#queue = new MaskQueue(openVocabulary(vocabulary), (orderId, mask) => this.#deliver(orderId, mask));
  }

  override started(): void {
    setImmediate(() => this.#work());
  }

  #work(): void {
    while (!this.#orders.closed) {
      this.#orders.drain((record) => this.#queue.take(record));
      if (this.#queue.hasWork) this.#queue.turn();
      else this.#orders.waitSync(Infinity);
    }
  }

  /** An engine takes what is made at each step; one that has left will not, and then the ring is closed. */
  #deliver(orderId: number, mask: TokenMask | undefined): void {
    const record = maskRecord(orderId, mask);
    while (!this.#masks.closed && !this.#masks.tryWrite(record)) this.#masks.waitSync(Infinity);
  }
}
