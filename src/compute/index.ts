/**
 * Graphs of fused ops, and the devices that run them. Deliberately absent: sequences, requests, model names. See
 * compute-graph.ts for the parts of a graph, and device.ts for the interface of a device.
 */

export {
  createBatch,
  type Batch,
  type DeviceCapacity,
  type GivenRow,
  type KvTables,
  type WindowPool,
} from './batch.js';
export type { ComputeGraph, GraphRope } from './compute-graph.js';
export type {
  ChildOptions,
  Device,
  DeviceChildren,
  DeviceInit,
  DeviceKind,
  DeviceMemory,
  DevicePlan,
  PlanRequest,
  PreparedDevice,
  PrepareOptions,
  ReadTensors,
} from './device.js';
export * from './devices/index.js';
export { computeCodes } from './errors.js';
export { blocksFor, KV_BLOCK_TOKENS, spanBlocks, type KvFormat } from './kv-block.js';
export type {
  Cells,
  ModelRows,
  ModelTensor,
  PlannedTensor,
  RowSlice,
  StoredTensor,
  TakePacked,
  WeightLayout,
} from './layout.js';
export type { LogitsRow, SampleRule } from './logits-row.js';
export {
  needsOf,
  projectionNames,
  type AttentionOp,
  type BufferName,
  type ConvolutionOp,
  type DeltaRuleOp,
  type EmbedOp,
  type Gate,
  type HeadNorm,
  type LinearOp,
  type LogitsOp,
  type Norm,
  type Op,
  type Projection,
} from './ops/index.js';
export { repack } from './repack.js';
