import type { DeviceCapacity } from './batch.js';
import type { PlanRequest } from './device.js';
import { fitContext } from './fit-context.js';
import { fixedStates, type Op } from './ops/index.js';
import { blocksFor, KV_BLOCK_TOKENS } from './kv-block.js';
import type { WeightLayout } from './layout.js';

/** KV cache of one model for several contexts together. A single context that needs more gets it. */
const KV_BUDGET_BYTES = 1 << 30;
/** Contexts that a small model's cache holds at once. */
const KV_CONTEXTS = 16;

/** The number of KV blocks of a model: one whole context at least, and several in the budget of a cache. */
export function kvBlockRange(contextLength: number, kvBytesPerToken: number): { least: number; most: number } {
  const least = blocksFor(contextLength);
  const affordable = Math.floor(KV_BUDGET_BYTES / (kvBytesPerToken * KV_BLOCK_TOKENS));
  return { least, most: Math.max(least, Math.min(affordable, least * KV_CONTEXTS)) };
}

/** State slots of all sequences together take no more than this, unless a few take more. */
const STATE_BUDGET_BYTES = 1 << 28;
const LEAST_STATE_SLOTS = 4;
/** Slots for checkpoints of a prefix cache. */
const CHECKPOINTS = 64;

/** State slots for so many sequences and a prefix cache, `bytes` each; none where a sequence has no such state. */
export function stateSlotsFor(maxSequences: number, bytes: number): number {
  if (bytes === 0) return 0;
  return Math.max(LEAST_STATE_SLOTS, Math.min(maxSequences + CHECKPOINTS, Math.floor(STATE_BUDGET_BYTES / bytes)));
}

/** Bytes of the states of fixed size of one sequence. */
export function stateBytes(ops: readonly Op[]): number {
  return [...fixedStates(ops).values()].reduce((sum, floats) => sum + floats * Float32Array.BYTES_PER_ELEMENT, 0);
}

/** A plan of a device whose memory is the packed weights, KV blocks, and a fixed part. */
export interface BlockPlan {
  readonly capacity: DeviceCapacity;
  readonly contextLength: number;
  readonly kvBytesPerToken: number;
  readonly bytes: number;
}

/** Plans the KV blocks of a model, `kvBytesPerToken` each token, beside its weights and `fixedBytes`, in steps of `maxRows`. */
export function planBlocks(
  request: PlanRequest,
  {
    layout,
    maxRows,
    kvBytesPerToken,
    fixedBytes = 0,
  }: {
    readonly layout: WeightLayout;
    readonly maxRows: number;
    readonly kvBytesPerToken: number;
    readonly fixedBytes?: number;
  },
): BlockPlan {
  const { graph, tensors, maxSequences, maxBytes = Infinity } = request;
  const eachBytes = stateBytes(graph.ops);
  const stateSlots = stateSlotsFor(maxSequences, eachBytes);
  const heldBytes =
    fixedBytes + stateSlots * eachBytes + tensors.reduce((sum, tensor) => sum + layout.bytes(tensor), 0);
  const blockBytes = KV_BLOCK_TOKENS * kvBytesPerToken;
  const contextLength = fitContext(request, kvBytesPerToken, (tokens) => heldBytes + blocksFor(tokens) * blockBytes);
  const { least, most } = kvBlockRange(contextLength, kvBytesPerToken);
  const kvBlocks = Math.max(least, Math.min(most, Math.floor((maxBytes - heldBytes) / blockBytes)));
  const capacity = { kvBlocks, stateSlots, maxRows, maxSequences };
  return { capacity, contextLength, kvBytesPerToken, bytes: heldBytes + kvBlocks * blockBytes };
}

/** Shared memory for the weights, so that several threads read and hash a large file. By tensor name. */
export function allocateWeights(
  { tensors }: Pick<PlanRequest, 'tensors'>,
  layout: WeightLayout,
): Map<string, Uint8Array> {
  return new Map(tensors.map((tensor) => [tensor.name, new Uint8Array(new SharedArrayBuffer(layout.bytes(tensor)))]));
}
