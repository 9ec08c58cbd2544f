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

/** The module that exports this actor's class. Errors: `package_not_found`. */
export function maskThreadModule(): URL {
  return locate('dist/src/engine/masks/mask-thread.js');
}

/** The rings between an engine and its mask thread. */
export interface MaskRings {
  readonly orders: RingHandle;
  readonly masks: RingHandle;
}

/** Inputs of a mask thread. */
export interface MaskThreadInit {
  /** The result of the vocabulary's `toBytes`, in shared memory. */
  readonly vocabulary: Uint8Array;
  readonly rings: MaskRings;
}

/** New rings, for each start of engine and mask thread. */
export function createMaskRings(vocabSize: number): MaskRings {
  return {
    orders: createRing({ capacityBytes: ORDERS_BYTES }),
    masks: createRing({ capacityBytes: masksBytes(vocabSize) }),
  };
}

/** The thread in the engine's tree; `rings` returns the newest ones. */
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

/** Ends every wait at the rings; from any thread. */
export function closeMaskRings({ orders, masks }: MaskRings): void {
  openProducer(orders).close();
  openProducer(masks).close();
}

/**
 * A thread that makes masks of grammars beside the steps of its engine. The engine orders them when it chooses tokens.
 * Without orders the thread sleeps and handles no message: closing its rings stops it (`interrupt` of its child spec).
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

  /** The engine takes finished masks at each step. An engine that has ended does not, and then the ring is closed. */
  #deliver(orderId: number, mask: TokenMask | undefined): void {
    const record = maskRecord(orderId, mask);
    while (!this.#masks.closed && !this.#masks.tryWrite(record)) this.#masks.waitSync(Infinity);
  }
}
