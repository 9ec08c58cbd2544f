import type { DeviceCapacity, WindowPool } from './batch.js';
import type { PlanRequest } from './device.js';
import { fitContext } from './fit-context.js';
import { fixedStates, type Op } from './ops/index.js';
import { blocksFor, KV_BLOCK_TOKENS, spanBlocks } from './kv-block.js';
import type { WeightLayout } from './layout.js';

/** KV cache of one model for several contexts together. A single context that needs more gets it. */
const KV_BUDGET_BYTES = 1 << 30;
/** Contexts that a small model's cache holds at once. */
const KV_CONTEXTS = 16;

/** The number of KV blocks of a model: one whole context at least, and several in the budget of a cache. */
function kvBlockRange(contextLength: number, bytesPerToken: number): { least: number; most: number } {
  const least = blocksFor(contextLength);
  const affordable = Math.floor(KV_BUDGET_BYTES / (bytesPerToken * KV_BLOCK_TOKENS));
  return { least, most: Math.max(least, Math.min(affordable, least * KV_CONTEXTS)) };
}

/** Keys and values of a layer. */
export interface KvLayer {
  /** Tokens that are still read; 0 is all. */
  readonly window: number;
  readonly bytesPerToken: number;
}

/** The numbers of blocks of a plan. */
export type KvBlocks = Pick<DeviceCapacity, 'kvBlocks' | 'windows'>;

/**
 * The part of a window's blocks to those of layers without one: sequences four times as long as a window still use both up
 * together. Shorter ones take more of the window's, longer ones less.
 */
const WINDOW_PART = 4;

/** Sizes of a plan that a window's blocks depend on. */
export interface KvSizes {
  readonly contextLength: number;
  readonly maxRows: number;
  readonly maxSequences: number;
}

/**
 * Blocks of the layers with windows beside `kvBlocks` of the others: those of one sequence at least, and no more than `kvBlocks`.
 * With `isRoomy` all sequences fit at once. A window in which nearly a whole context fits has no pool of its own.
 */
export function kvBlocksOf(
  layers: readonly KvLayer[],
  kvBlocks: number,
  { contextLength, maxRows, maxSequences }: KvSizes,
  isRoomy = false,
): KvBlocks {
  const windows = [...new Set(layers.map(({ window }) => window))].flatMap((window): WindowPool[] => {
    const span = spanBlocks(window, maxRows);
    if (window === 0 || span >= blocksFor(contextLength)) return [];
    const part = Math.max(span, Math.ceil(kvBlocks / WINDOW_PART), isRoomy ? span * maxSequences : 0);
    return [{ window, blocks: Math.min(kvBlocks, part) }];
  });
  return { kvBlocks, windows };
}

/** The pool of a layer's blocks, and their number. */
export function poolOf(
  { kvBlocks, windows = [] }: KvBlocks,
  { window }: Pick<KvLayer, 'window'>,
): { readonly pool: number; readonly blocks: number } {
  const found = windows.findIndex((pool) => pool.window === window);
  return { pool: found + 1, blocks: windows[found]?.blocks ?? kvBlocks };
}

/** Bytes of all keys and values. */
export function kvBytes(layers: readonly KvLayer[], blocks: KvBlocks): number {
  return layers.reduce((sum, layer) => sum + poolOf(blocks, layer).blocks * KV_BLOCK_TOKENS * layer.bytesPerToken, 0);
}

/** Bytes of the KV cache of one whole context, for each token of it. */
export function kvBytesPerToken(layers: readonly KvLayer[], sizes: KvSizes): number {
  const kvBlocks = blocksFor(sizes.contextLength);
  return kvBytes(layers, kvBlocksOf(layers, kvBlocks, sizes)) / (kvBlocks * KV_BLOCK_TOKENS);
}

/**
 * The most blocks from those of one context up, so that the model of `bytesOf` fits in `maxBytes`; or those of one context.
 * All sequences get a window's blocks at once where that fits in the budget of a cache too.
 */
export function chooseKvBlocks(
  layers: readonly KvLayer[],
  sizes: KvSizes,
  bytesOf: (blocks: KvBlocks) => number,
  maxBytes: number,
): KvBlocks {
  const fits = (blocks: KvBlocks): boolean => bytesOf(blocks) <= maxBytes;
  const { least, most } = kvBlockRange(sizes.contextLength, kvBytesPerToken(layers, sizes));
  const roomy = kvBlocksOf(layers, most, sizes, true);
  if (kvBytes(layers, roomy) <= KV_BUDGET_BYTES && fits(roomy)) return roomy;
  let best = kvBlocksOf(layers, most, sizes);
  if (fits(best) || least >= most) return best;
  best = kvBlocksOf(layers, least, sizes);
  // Halved, not computed: caches are aligned and spread over segments.
  for (let [low, high] = [least, most]; high - low > 1;) {
    const middle = (low + high) >>> 1;
    const blocks = kvBlocksOf(layers, middle, sizes);
    if (fits(blocks)) [low, best] = [middle, blocks];
    else high = middle;
  }
  return best;
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

/** Plans the KV blocks of a model with `kvLayers` beside its weights and `fixedBytes`, in steps of `maxRows`. */
export function planBlocks(
  request: PlanRequest,
  {
    layout,
    maxRows,
    kvLayers,
    fixedBytes = 0,
  }: {
    readonly layout: WeightLayout;
    readonly maxRows: number;
    readonly kvLayers: readonly KvLayer[];
    readonly fixedBytes?: number;
  },
): BlockPlan {
  const { graph, tensors, maxSequences, maxBytes = Infinity } = request;
  const eachBytes = stateBytes(graph.ops);
  const stateSlots = stateSlotsFor(maxSequences, eachBytes);
  const heldBytes =
    fixedBytes + stateSlots * eachBytes + tensors.reduce((sum, tensor) => sum + layout.bytes(tensor), 0);
  const bytesOf = (blocks: KvBlocks): number => heldBytes + kvBytes(kvLayers, blocks);
  const sizesOf = (contextLength: number): KvSizes => ({ contextLength, maxRows, maxSequences });
  const contextLength = fitContext(request, kvBytesPerToken(kvLayers, sizesOf(request.contextLength)), (tokens) =>
    bytesOf(kvBlocksOf(kvLayers, blocksFor(tokens), sizesOf(tokens))),
  );
  const sizes = sizesOf(contextLength);
  const blocks = chooseKvBlocks(kvLayers, sizes, bytesOf, maxBytes);
  const capacity = { ...blocks, stateSlots, maxRows, maxSequences };
  return { capacity, contextLength, kvBytesPerToken: kvBytesPerToken(kvLayers, sizes), bytes: bytesOf(blocks) };
}

/** Shared memory for the weights, so that several threads read and hash a large file. By tensor name. */
export function allocateWeights(
  { tensors }: Pick<PlanRequest, 'tensors'>,
  layout: WeightLayout,
): Map<string, Uint8Array> {
  return new Map(tensors.map((tensor) => [tensor.name, new Uint8Array(new SharedArrayBuffer(layout.bytes(tensor)))]));
}
