/**
 * Ops on a device: programs, where their data lies, and the threads and kernels that run them. Deliberately absent:
 * sequences, requests, model names. See ops.ts for the alphabet, program.ts for the grammar.
 */

export * from './backends/index.js';
export { allocateBanks, bankBytesTotal, openBanks, tensorView } from './banks.js';
export { computeThreadModule, type TeamInit } from './compute-thread.js';
export { computeCodes } from './errors.js';
export { Control, createControlMemory } from './control.js';
export { isFloat } from './kernel-choice.js';
export { createBatch, createDevice, type Batch, type Device } from './device.js';
export {
  kvBytesPerToken,
  planMemory,
  tensorBytes,
  type Capacity,
  type MemoryPlan,
  type PlannedTensor,
} from './memory-plan.js';
export { createRow, type Row } from './row.js';
export { KV_BLOCK_TOKENS, type Kernels, type KvFormat, type OpName } from './ops.js';
export { reclaim } from './reclaim.js';
export type { Bank } from './thread-view.js';
export {
  factorsOf,
  type AttentionOp,
  type EmbedOp,
  type LinearOp,
  type LogitsOp,
  type Op,
  type Program,
} from './program.js';
