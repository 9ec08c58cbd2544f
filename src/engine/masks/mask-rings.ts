import { createRing, openProducer, type ChildSpec, type RingHandle } from '../../actor/index.js';
import { locate } from '../../base/index.js';
import { masksBytes, ORDERS_BYTES } from './mask-records.js';

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
