// A mask thread without a thread: a test runs it step by step.

import { openConsumer, openProducer } from '../../src/actor/index.js';
import { MaskQueue } from '../../src/engine/masks/mask-queue.js';
import { maskRecord } from '../../src/engine/masks/mask-records.js';
import { createMaskRings } from '../../src/engine/masks/mask-rings.js';
import { ThreadMasks, type MasksBeside } from '../../src/engine/masks/thread-masks.js';
import type { MaskOrder, WalkState } from '../../src/grammar/index.js';
import { openTexts } from './text-vocabulary.js';

/** The engine's end of it. */
export interface MasksByHand extends MasksBeside {
  /** Gives the other end so many turns, or as many as there is work; how many it had. */
  work(turns?: number): number;
}

/** `onLook` is called when the engine looks what was made, or waits for it, before what was made is taken. */
export function createMasksByHand(vocabSize: number, onLook: (masks: MasksByHand) => void = () => {}): MasksByHand {
  const rings = createMaskRings(vocabSize);
  const masks = new ThreadMasks(rings);
  const orders = openConsumer(rings.orders);
  const made = openProducer(rings.masks);
  const queue = new MaskQueue(openTexts(vocabSize), (orderId, mask) => {
    if (!made.tryWrite(maskRecord(orderId, mask))) throw new Error('the ring of masks is full');
  });
  const self: MasksByHand = {
    order: (state: WalkState): MaskOrder => masks.order(state),
    poll() {
      onLook(self);
      masks.poll();
    },
    wait() {
      self.poll();
    },
    work(turns = Infinity) {
      let done = 0;
      for (; done < turns; done++) {
        orders.drain((record) => queue.take(record));
        if (!queue.hasWork) break;
        queue.turn();
      }
      return done;
    },
  };
  return self;
}
