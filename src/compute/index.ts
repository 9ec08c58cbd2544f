/**
 * Ops on a device: graphs, where their data lies, and the threads and kernels that run them. Deliberately absent:
 * sequences, requests, model names. See compute-graph.ts for what a graph is made of.
 */

export * from './devices/index.js';
export { allocateSegments, segmentBytesTotal, openSegments, tensorView } from './devices/cpu/memory/segments.js';
export { computeThreadModule, type ThreadGroupInit } from './devices/cpu/threads/compute-thread.js';
export { computeCodes } from './errors.js';
export { Control, createControlMemory } from './devices/cpu/threads/control.js';
export { isFloat } from './devices/cpu/kernel-choice.js';
export { createBatch, createDevice, type Batch, type Device } from './devices/cpu/device.js';
export {
  kvBytesPerToken,
  planMemory,
  tensorBytes,
  type Capacity,
  type MemoryPlan,
  type PlannedTensor,
} from './devices/cpu/memory/memory-plan.js';
export { createRow, type Row } from './devices/cpu/logits/row.js';
export { KV_BLOCK_TOKENS, type Kernels, type KvFormat, type OpName } from './devices/cpu/ops.js';
export { reclaim } from './devices/cpu/memory/reclaim.js';
export type { Segment } from './devices/cpu/threads/thread-view.js';
export {
  factorsOf,
  type AttentionOp,
  type EmbedOp,
  type LinearOp,
  type LogitsOp,
  type Op,
  type ComputeGraph,
} from './compute-graph.js';
