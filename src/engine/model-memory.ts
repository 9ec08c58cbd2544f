/**
 * A model in a device's memory: planned, then allocated and filled. Its size is known before a weight is read. All of
 * it lives on the supervisor's side and outlives any thread that computes on it.
 */

import type { ModelSource, OnProgress, TensorEntry } from '../artifact/index.js';
import { AppError, present } from '../base/index.js';
import {
  needsOf,
  tensorBytes,
  type ComputeGraph,
  type DeviceMemory,
  type DevicePlan,
  type KvFormat,
  type PreparedDevice,
} from '../compute/index.js';
import { forwardGraph, parseModelConfig, weightTable, type ModelConfig } from '../model/index.js';

/** A model with a declared context up to this gets all of it, or is refused: a conversation needs that much. */
const WHOLE_CONTEXT = 8192;
/** Lowest limit to which a longer context is shortened. */
const LEAST_CONTEXT = 4096;
/** Sequences that decode in one step. */
export const MAX_SEQUENCES = 64;

/** The memory layout of a model. */
export interface ModelPlan {
  readonly config: ModelConfig;
  readonly graph: ComputeGraph;
  readonly plan: DevicePlan;
  /** Tokens of one sequence: the caller's limit or the model's own, or less when their cache is too large. */
  readonly contextLength: number;
  /** Why the context is shorter than the model's own, if the caller did not choose that; one line. */
  readonly contextNote: string | undefined;
  readonly tensors: readonly TensorEntry[];
  /** The context that the model declares. */
  readonly declaredContextLength: number;
  readonly kvBytesPerToken: number;
  /** Weights, KV cache, activations. Memory of threads and texts is not counted. */
  readonly bytes: number;
}

/** A model ready to compute. */
export interface ModelMemory extends ModelPlan {
  readonly device: DeviceMemory;
  /** Settles when the system has the memory again; no thread may compute on it any more. */
  release(): Promise<void>;
}

/** Options of a model's loader. */
export interface ModelMemoryOptions {
  readonly device: PreparedDevice;
  readonly threads: number;
  /** Absent: f32 for float artifacts, q8 for quantised ones. */
  readonly kvCache?: KvFormat | undefined;
  /** Longest context of a sequence, in tokens; the model's own may be shorter. Absent: what fits of the model's. */
  readonly maxContext?: number | undefined;
  /** A model that would take more gets a smaller KV cache, of one whole context at least. */
  readonly maxBytes?: number | undefined;
}

/**
 * Plans a model's memory. Its bytes may still exceed `maxBytes`. Errors: those of config.json and of the artifact;
 * `out_of_memory`.
 */
export function planModelMemory(
  artifact: Pick<ModelSource, 'manifest' | 'directory'>,
  { device, threads, kvCache, maxContext, maxBytes }: ModelMemoryOptions,
): ModelPlan {
  const { manifest } = artifact;
  const config = parseModelConfig(manifest.config);
  const graph = forwardGraph(config);
  const declared = config.contextLength;
  const tensors = findTensors(config, artifact);
  checkPanels(graph, tensors, artifact.directory);
  const plan = device.plan({
    graph,
    tensors,
    quant: manifest.quant,
    contextLength: Math.min(declared, maxContext ?? declared),
    ...(maxContext === undefined && declared > WHOLE_CONTEXT && { leastContext: LEAST_CONTEXT }),
    maxSequences: MAX_SEQUENCES,
    threads,
    kvFormat: kvCache,
    maxBytes,
  });
  const { contextLength, kvBytesPerToken, bytes } = plan;
  const isShortened = maxContext === undefined && contextLength < declared;
  const contextNote = isShortened ? describeContext(contextLength, declared, kvBytesPerToken) : undefined;
  const lengths = { contextLength, declaredContextLength: declared, kvBytesPerToken };
  return { config, graph, plan, ...lengths, contextNote, tensors, bytes };
}

/**
 * Allocates and fills; `onProgress` must not throw. Errors: `out_of_memory`, those of `ModelSource.fill`; then no
 * memory is held.
 */
export async function fillModelMemory(
  source: ModelSource,
  planned: ModelPlan,
  signal?: AbortSignal,
  onProgress?: OnProgress,
): Promise<ModelMemory> {
  const { plan, tensors } = planned;
  const device = await plan.load(async (targets) => {
    const target = ({ name }: TensorEntry): Uint8Array => present(targets.get(name), `the device takes tensor ${name}`);
    const placements = tensors.map((entry) => ({ entry, target: target(entry) }));
    await source.fill(placements, { signal, onProgress });
  });
  return { ...planned, device, release: () => device.release() };
}

/** The tensors for the model's config, looked up in the manifest, which is untrusted input. Errors: `artifact_invalid`. */
function findTensors(config: ModelConfig, artifact: Pick<ModelSource, 'manifest' | 'directory'>): TensorEntry[] {
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
  for (const names of graph.ops.flatMap((op) => needsOf(op).matrices)) {
    const other = names.find((name) => quantOf.get(name) !== quantOf.get(names[0] ?? ''));
    if (other === undefined) continue;
    throw new AppError(
      'artifact_invalid',
      `${directory}: tensors ${names[0]} and ${other} are panels of one matrix, but stored as ${quantOf.get(names[0] ?? '')} and ${quantOf.get(other)}. Convert the model again`,
      { tensor: other },
    );
  }
}

/** Why a model has a shorter context than it declares, in one line. */
function describeContext(contextLength: number, declared: number, kvBytesPerToken: number): string {
  const [chosen, all] = [contextLength, declared].map((tokens) => tokens.toLocaleString('en-US'));
  const bytes = kvBytesPerToken * declared;
  return `context ${chosen} of ${all} tokens: the KV cache of all would take ${(bytes / 1e9).toFixed(1)} GB; --ctx (maxContext) chooses another`;
}
