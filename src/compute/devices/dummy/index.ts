/**
 * A minimal device: the starting point of a new one, and proof that an engine needs no thread and no memory beyond
 * this. Its model adds: the likeliest next token is the sum of the sequence's token ids, modulo the vocabulary. It
 * reads them from a KV cache like any other, so that slots, block tables and copied blocks must be right.
 * Users cannot choose it: `backends` in `devices/index.ts` has no name for it.
 */

import type { DeviceKind, DeviceMemory, DevicePlan, PlanRequest } from '../../device.js';
import { allocateWeights, kvBytes, planBlocks } from '../../plan-blocks.js';
import { rowLayout } from '../reference/layout.js';
import { openAdder, type AdderInit } from './adder.js';

/** Rows of one step. */
const MAX_ROWS = 128;

export const dummy: DeviceKind = {
  name: 'dummy',
  // It computes in the engine's thread alone, however many threads are asked for.
  usesThreads: false,
  // A real device compiles and tests kernels here, or opens a driver. `notes` explain to users why it is slow.
  prepare: async () => Promise.resolve({ name: 'dummy', variant: 'adder', notes: [], plan }),
  layout: rowLayout,
  open: openAdder,
};

/** A step towards the bytes that a model takes. Nothing is allocated before `load`. */
function plan(request: PlanRequest): DevicePlan {
  // One layer, which needs all tokens of a sequence: no window.
  const layers = [{ window: 0, bytesPerToken: Int32Array.BYTES_PER_ELEMENT }];
  const planned = planBlocks(request, { layout: rowLayout, maxRows: MAX_ROWS, kvLayers: layers });
  const { capacity } = planned;
  return {
    ...planned,
    async load(read) {
      const weights = allocateWeights(request, rowLayout);
      await read(weights);
      const { vocabSize, hiddenSize } = request.graph;
      const cache = new SharedArrayBuffer(kvBytes(layers, capacity));
      return createMemory({ device: 'dummy', capacity, vocabSize, hiddenSize, cache }, weights);
    },
  };
}

/** `weights` are only held: a device that computes with them would put them into what `init` hands on. */
function createMemory(init: AdderInit, weights: Map<string, Uint8Array>): DeviceMemory {
  return {
    capacity: init.capacity,
    children: () => ({
      // A crash leaves nothing half done that the next start would trip over: the engine begins with an empty cache.
      renew() {},
      specs: [],
      init: () => init,
      // A step is over sooner than anyone would interrupt it.
      interrupt() {},
    }),
    release: async () => Promise.resolve(weights.clear()),
  };
}
