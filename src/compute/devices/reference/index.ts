import { widthOf } from '../../compute-graph.js';
import type { DeviceKind, DeviceMemory, DevicePlan, PlanRequest } from '../../device.js';
import { bufferNames, pagedLayers } from '../../ops/index.js';
import { allocateWeights, kvBytes, planBlocks, stateBytes } from '../../plan-blocks.js';
import { rowLayout } from './layout.js';
import { openInterpreter } from './interpreter.js';
import { cacheWidth, type ReferenceInit } from './machine.js';

/** Rows of one step. */
const MAX_ROWS = 128;

/**
 * The slow twin of every device: an interpreter of the graph in plain TypeScript, on one thread, with floats for
 * activations and the KV cache. Right, and too slow for more than tests.
 */
export const reference: DeviceKind = {
  name: 'reference',
  usesThreads: false,
  prepare: async () => Promise.resolve({ name: 'reference', variant: 'reference', notes: [], plan }),
  layout: rowLayout,
  open: openInterpreter,
};

function plan(request: PlanRequest): DevicePlan {
  const { graph, tensors, maxSequences } = request;
  const { vocabSize } = graph;
  const floats = Float32Array.BYTES_PER_ELEMENT;
  const layers = pagedLayers(graph.ops).map((layer) => {
    return { window: layer.window, bytesPerToken: cacheWidth(layer) * floats };
  });
  const rowFloats = bufferNames.reduce((sum, name) => sum + widthOf(graph, name), 0);
  const planned = planBlocks(request, {
    layout: rowLayout,
    maxRows: MAX_ROWS,
    kvLayers: layers,
    fixedBytes: (MAX_ROWS * rowFloats + maxSequences * vocabSize) * floats,
  });
  const { capacity } = planned;
  return {
    ...planned,
    async load(read) {
      const targets = allocateWeights(request, rowLayout);
      await read(targets);
      const weights = tensors.map((tensor) => [tensor, targets.get(tensor.name) ?? new Uint8Array(0)] as const);
      const cache = new SharedArrayBuffer(kvBytes(layers, capacity));
      const stop = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
      const states = new SharedArrayBuffer(capacity.stateSlots * stateBytes(graph.ops));
      return createMemory({ device: 'reference', graph, capacity, weights, cache, states, stop });
    },
  };
}

function createMemory(init: ReferenceInit): DeviceMemory {
  const stop = new Int32Array(init.stop);
  let held: ReferenceInit | undefined = init;
  return {
    capacity: init.capacity,
    children: () => ({
      renew: () => void Atomics.store(stop, 0, 0),
      specs: [],
      init: () => held ?? { device: 'reference' },
      interrupt: () => void Atomics.store(stop, 0, 1),
    }),
    async release() {
      held = undefined;
      await Promise.resolve();
    },
  };
}
