/**
 * A model in memory: segments planned, then allocated and filled. What they take is known before a weight is read. All of
 * it lives on the supervisor's side and outlasts any thread that computes on it.
 */

import { loadWeights, type Artifact, type OnProgress, type TensorEntry } from '../artifact/index.js';
import { AppError } from '../base/index.js';
import {
  allocateSegments,
  segmentBytesTotal,
  factorsOf,
  isFloat,
  KV_BLOCK_TOKENS,
  kvBytesPerToken,
  planMemory,
  reclaim,
  tensorBytes,
  tensorView,
  type KvFormat,
  type MemoryPlan,
  type ComputeGraph,
} from '../compute/index.js';
import { forwardGraph, parseModelConfig, weightTable, type ModelConfig } from '../model/index.js';
import { blocksFor } from './cache/kv-cache.js';

/**
 * Rows of one step, which a new request waits for beside a prompt that is being computed. A step reads and unpacks all weights once, so that
 * one of 256 rows takes 0.97 of two of 128 (bench/LOG.md, 2026-11-22, 'Steps of 256 rows').
 */
const STEP_ROWS = { usual: 256, large: 128 } as const;
/**
 * A model is large when each thread has more weights to multiply a row with: 256 rows by so many take 1.5 s where a thread
 * makes 180 GMAC/s (Node 24, VNNI) and 3.2 s where it makes 85 (Node 20).
 */
const LARGE_WEIGHTS_PER_THREAD = 2 ** 30;
/** Sequences that decode in one step. */
export const MAX_SEQUENCES = 64;
/** KV cache of one model: what contexts may use together; one that needs more alone is made shorter. */
const KV_BUDGET_BYTES = 1 << 30;
/** Contexts that a small model's cache holds at once. */
const KV_CONTEXTS = 16;
/** A WASM memory ends at 4 GiB; the last page stays free so that no address wraps. */
const SEGMENT_BYTES = 2 ** 32 - 65_536;

/** Where everything of a model will lie. */
export interface ModelPlan {
  readonly config: ModelConfig;
  readonly graph: ComputeGraph;
  readonly plan: MemoryPlan;
  /** Tokens of one sequence: the model's own limit, or less when the cache cannot hold it. */
  readonly contextLength: number;
  readonly tensors: readonly TensorEntry[];
  /** All segments: weights, KV cache, activations. What its threads and texts take beside is not counted. */
  readonly bytes: number;
}

/** A model ready to compute. */
export interface ModelMemory extends ModelPlan {
  /** Empty once released. */
  readonly memories: readonly WebAssembly.Memory[];
  /** Settles when the segments are given back to the system; nothing may compute on them any more. */
  release(): Promise<void>;
}

/** Choices of whoever loads a model. */
export interface ModelMemoryOptions {
  readonly threads: number;
  /** Absent: f32 for float artifacts, q8 for quantised ones. */
  readonly kvCache?: KvFormat | undefined;
  /** Longest context of a sequence, in tokens; the model's own may be shorter. */
  readonly maxContext?: number | undefined;
  /** For tests: a small segment makes a small model use several. */
  readonly segmentBytes?: number;
  /** A model that would take more gets a smaller KV cache, of one whole context at least. */
  readonly maxBytes?: number | undefined;
}

/** Plans. The bytes may be more than `maxBytes` even so. Errors: those of config.json and of the artifact; `out_of_memory`. */
export function planModelMemory(
  artifact: Pick<Artifact, 'manifest' | 'directory'>,
  options: ModelMemoryOptions,
): ModelPlan {
  const { manifest } = artifact;
  const config = parseModelConfig(manifest.config);
  const graph = forwardGraph(config);
  const tensors = findTensors(config, artifact);
  checkPanels(graph, tensors, artifact.directory);
  const kvFormat = options.kvCache ?? (isFloat(manifest.quant) ? 'f32' : 'q8');
  const { contextLength, kvBlocks } = sizeCache(config, graph, kvFormat, options.maxContext);
  const maxRows = stepRows(graph, tensors, options.threads);
  const planWith = (blocks: number): MemoryPlan =>
    planMemory(graph, tensors, {
      kvFormat,
      kvBlocks: blocks,
      maxRows,
      maxSequences: MAX_SEQUENCES,
      maxBlocksPerSequence: blocksFor(contextLength),
      threads: options.threads,
      segmentBytes: options.segmentBytes ?? SEGMENT_BYTES,
    });
  const plan = largestFitting(planWith, blocksFor(contextLength), kvBlocks, options.maxBytes ?? Infinity);
  return { config, graph, plan, contextLength, tensors, bytes: segmentBytesTotal(plan) };
}

/** Allocates and fills; `onProgress` must not throw. Errors: `out_of_memory`, `artifact_corrupt`, the reason of the signal; then nothing is held. */
export async function fillModelMemory(
  artifact: Artifact,
  planned: ModelPlan,
  signal?: AbortSignal,
  onProgress?: OnProgress,
): Promise<ModelMemory> {
  const { plan, tensors } = planned;
  const memories = allocateSegments(plan);
  const target = (entry: TensorEntry): Uint8Array => tensorView(plan, memories, entry.name, entry.sizeBytes);
  const release = async (): Promise<void> => void (await reclaim(memories));
  const options = { verify: true, onProgress, ...(signal && { signal }) };
  try {
    await loadWeights(
      artifact,
      tensors.map((entry) => ({ entry, target: target(entry) })),
      options,
    );
  } catch (error) {
    await release();
    throw error;
  }
  return { ...planned, memories, release };
}

/** The plan with the most KV blocks, from `min` to `max`, that fits in `maxBytes`; that with `min` when none does. */
function largestFitting(
  planWith: (kvBlocks: number) => MemoryPlan,
  min: number,
  max: number,
  maxBytes: number,
): MemoryPlan {
  const fits = (plan: MemoryPlan): boolean => segmentBytesTotal(plan) <= maxBytes;
  let best = planWith(max);
  if (fits(best) || min >= max) return best;
  best = planWith(min);
  // Halved, not computed: caches are aligned and spread over segments.
  for (let [low, high] = [min, max]; high - low > 1;) {
    const middle = (low + high) >>> 1;
    const plan = planWith(middle);
    if (fits(plan)) [low, best] = [middle, plan];
    else high = middle;
  }
  return best;
}

function stepRows(graph: ComputeGraph, tensors: readonly TensorEntry[], threads: number): number {
  // What rows of a prompt pass through: neither embedding nor logits.
  const names = new Set(graph.ops.filter(({ op }) => op !== 'logits').flatMap(factorsOf));
  const weights = tensors
    .filter(({ name }) => names.has(name))
    .reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  return weights > threads * LARGE_WEIGHTS_PER_THREAD ? STEP_ROWS.large : STEP_ROWS.usual;
}

function sizeCache(
  config: ModelConfig,
  graph: ComputeGraph,
  format: KvFormat,
  maxContext: number = Infinity,
): { contextLength: number; kvBlocks: number } {
  const blockBytes = kvBytesPerToken(graph, format) * KV_BLOCK_TOKENS;
  const affordable = Math.max(1, Math.floor(KV_BUDGET_BYTES / blockBytes));
  const wanted = Math.min(config.contextLength, maxContext);
  const perContext = blocksFor(wanted);
  const contextLength = Math.min(wanted, affordable * KV_BLOCK_TOKENS);
  return { contextLength, kvBlocks: Math.min(affordable, perContext * KV_CONTEXTS) };
}

/** The tensors that the model's config asks for, found in the manifest: input like any other. Errors: `artifact_invalid`. */
function findTensors(config: ModelConfig, artifact: Pick<Artifact, 'manifest' | 'directory'>): TensorEntry[] {
  const { manifest, directory } = artifact;
  const held = new Map(manifest.tensors.map((tensor) => [tensor.name, tensor]));
  return weightTable(config).map((spec) => {
    const tensor = held.get(spec.name);
    const fits =
      tensor !== undefined &&
      tensor.kind === spec.kind &&
      tensor.rows === spec.rows &&
      tensor.columns === spec.columns &&
      tensor.sizeBytes === tensorBytes(tensor);
    if (fits) return tensor;
    const found =
      tensor === undefined ? 'absent' : `${tensor.kind} [${tensor.rows}, ${tensor.columns}], ${tensor.sizeBytes} bytes`;
    throw new AppError(
      'artifact_invalid',
      `${directory}: tensor ${spec.name} is ${found}; its config asks for ${spec.kind} [${spec.rows}, ${spec.columns}]. Convert the model again`,
      { tensor: spec.name },
    );
  });
}

/** The panels of a matrix multiply the same rows, as floats or quantised. Errors: `artifact_invalid`. */
function checkPanels(graph: ComputeGraph, tensors: readonly TensorEntry[], directory: string): void {
  const quantOf = new Map(tensors.map(({ name, quant }) => [name, quant]));
  for (const names of graph.ops.map(factorsOf)) {
    const other = names.find((name) => quantOf.get(name) !== quantOf.get(names[0] ?? ''));
    if (other === undefined) continue;
    throw new AppError(
      'artifact_invalid',
      `${directory}: tensors ${names[0]} and ${other} are panels of one matrix, but stored as ${quantOf.get(names[0] ?? '')} and ${quantOf.get(other)}. Convert the model again`,
      { tensor: other },
    );
  }
}
