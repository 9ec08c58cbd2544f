/**
 * A model in a device's memory: planned, then allocated and filled. Its size is known before a weight is read. All of
 * it lives on the supervisor's side and outlives any thread that computes on it.
 */

import { setImmediate } from 'node:timers/promises';
import { DEFAULT_LAYOUT, type ModelSource, type OnProgress, type TensorEntry } from '../artifact/index.js';
import { AppError, present } from '../base/index.js';
import {
  findLayout,
  layoutOf,
  repack,
  type ComputeGraph,
  type DeviceMemory,
  type DevicePlan,
  type KvFormat,
  type PlannedTensor,
  type PreparedDevice,
  type WeightLayout,
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
  /** The artifact's tensors in its own layout. */
  readonly stored: LaidWeights<TensorEntry & PlannedTensor>;
  /** The tensors in the device's layout. */
  readonly planned: LaidWeights<PlannedTensor>;
  /** Why each load takes longer than reading: the artifact has another layout than the device; one line. */
  readonly layoutNote: string | undefined;
  /** The context that the model declares. */
  readonly declaredContextLength: number;
  readonly kvBytesPerToken: number;
  /** Weights, KV cache, activations. Memory of threads and texts is not counted. */
  readonly bytes: number;
}

/** The tensors of a model in a layout. */
interface LaidWeights<Tensor> {
  readonly layout: WeightLayout;
  readonly tensors: readonly Tensor[];
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
  const stored = findTensors(config, graph, artifact);
  checkPanels(stored.tensors, artifact.directory);
  const planned = planTensors(config, graph, stored, layoutOf(device.name));
  const plan = device.plan({
    graph,
    tensors: planned.tensors,
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
  const layoutNote = stored.layout === planned.layout ? undefined : describeRepacking(stored.layout, planned.layout);
  return { config, graph, plan, ...lengths, contextNote, layoutNote, stored, planned, bytes };
}

/**
 * Allocates and fills; `onProgress` must not throw. Errors: `out_of_memory`, those of `ModelSource.fill`; then no
 * memory is held.
 */
export async function fillModelMemory(
  source: ModelSource,
  model: ModelPlan,
  signal?: AbortSignal,
  onProgress?: OnProgress,
): Promise<ModelMemory> {
  const { plan, stored, planned } = model;
  const fill = (targetOf: (name: string) => Uint8Array): Promise<void> =>
    source.fill(
      stored.tensors.map((entry) => ({ entry, target: targetOf(entry.name) })),
      { signal, onProgress },
    );
  const device = await plan.load(async (targets) => {
    const targetOf = (name: string): Uint8Array => present(targets.get(name), `the device takes tensor ${name}`);
    if (stored.layout === planned.layout) return fill(targetOf);
    // Both copies are held for as long as this takes.
    const read = new Map(
      stored.tensors.map(({ name, sizeBytes }) => [name, new Uint8Array(new SharedArrayBuffer(sizeBytes))]),
    );
    const bytes = (name: string): Uint8Array => present(read.get(name), `tensor ${name} is read`);
    await fill(bytes);
    await repack({ ...stored, bytes }, { ...planned, bytes: targetOf }, async () => {
      await setImmediate();
      signal?.throwIfAborted();
    });
  });
  return { ...model, device, release: () => device.release() };
}

/**
 * The tensors for the model's config, looked up in the manifest, which is untrusted input. Errors: `artifact_invalid`;
 * `artifact_version` for an unknown layout.
 */
function findTensors(
  config: ModelConfig,
  graph: ComputeGraph,
  { manifest, directory }: Pick<ModelSource, 'manifest' | 'directory'>,
): ModelPlan['stored'] {
  const layout = findLayout(manifest.layout ?? DEFAULT_LAYOUT);
  if (layout === undefined) {
    throw new AppError(
      'artifact_version',
      `${directory}: the layout ${manifest.layout} of its weights is unknown to this version. Convert the model again`,
      { directory },
    );
  }
  const held = new Map(manifest.tensors.map((tensor) => [tensor.name, tensor]));
  const tensors = layout.arrange(graph, weightTable(config)).map((spec) => {
    const tensor = held.get(spec.name);
    const fits =
      tensor !== undefined &&
      tensor.kind === spec.kind &&
      tensor.rows === spec.rows &&
      tensor.columns === spec.columns &&
      tensor.sizeBytes === layout.bytes(tensor);
    if (fits) return { ...spec, ...tensor };
    const found =
      tensor === undefined ? 'absent' : `${tensor.kind} [${tensor.rows}, ${tensor.columns}], ${tensor.sizeBytes} bytes`;
    throw new AppError(
      'artifact_invalid',
      `${directory}: tensor ${spec.name} is ${found}; its config asks for ${spec.kind} [${spec.rows}, ${spec.columns}]. Convert the model again`,
      { tensor: spec.name },
    );
  });
  return { layout, tensors };
}

/** The tensors as the device stores them: the artifact's own, or repacked in the quants that they have there. */
function planTensors(
  config: ModelConfig,
  graph: ComputeGraph,
  stored: ModelPlan['stored'],
  layout: WeightLayout,
): ModelPlan['planned'] {
  if (stored.layout === layout) return stored;
  const quants = new Map(stored.tensors.flatMap(({ of, quant }) => of.map((name) => [name, quant])));
  const tensors = layout.arrange(graph, weightTable(config)).map((tensor) => {
    return { ...tensor, quant: present(quants.get(tensor.of[0] ?? ''), 'a tensor of the graph is stored') };
  });
  return { layout, tensors };
}

/** The panels of a matrix multiply the same rows, as floats or quantised. Errors: `artifact_invalid`. */
function checkPanels(tensors: readonly PlannedTensor[], directory: string): void {
  const firsts = new Map<string, PlannedTensor>();
  for (const tensor of tensors) {
    for (const matrix of tensor.of) {
      const first = firsts.get(matrix) ?? tensor;
      firsts.set(matrix, first);
      if (first.quant === tensor.quant) continue;
      throw new AppError(
        'artifact_invalid',
        `${directory}: tensors ${first.name} and ${tensor.name} are panels of one matrix, but stored as ${first.quant} and ${tensor.quant}. Convert the model again`,
        { tensor: tensor.name },
      );
    }
  }
}

/** Why a model is repacked, in one line. */
function describeRepacking(stored: WeightLayout, wanted: WeightLayout): string {
  return `weights are packed as ${stored.name}: each load repacks them as ${wanted.name} for this device`;
}

/** Why a model has a shorter context than it declares, in one line. */
function describeContext(contextLength: number, declared: number, kvBytesPerToken: number): string {
  const [chosen, all] = [contextLength, declared].map((tokens) => tokens.toLocaleString('en-US'));
  const bytes = kvBytesPerToken * declared;
  return `context ${chosen} of ${all} tokens: the KV cache of all would take ${(bytes / 1e9).toFixed(1)} GB; --ctx (maxContext) chooses another`;
}
