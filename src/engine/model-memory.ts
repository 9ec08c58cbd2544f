/**
 * A model in memory: banks planned, allocated and filled. All of it lives on the supervisor's side and outlasts any
 * thread that computes on it.
 */

import { loadWeights, type Artifact, type TensorEntry } from '../artifact/index.js';
import { AppError } from '../base/index.js';
import {
  allocateBanks,
  KV_BLOCK_TOKENS,
  kvBytesPerToken,
  planMemory,
  tensorBytes,
  tensorView,
  type KvFormat,
  type MemoryPlan,
  type Program,
} from '../compute/index.js';
import { forwardProgram, parseModelConfig, weightTable, type ModelConfig } from '../model/index.js';
import { blocksFor } from './kv-cache.js';

/** Rows of one step: wide enough that a prefill is bound by arithmetic, short enough to stay responsive. */
export const MAX_ROWS = 128;
/** Sequences that decode in one step. */
export const MAX_SEQUENCES = 64;
/** KV cache of one model: what contexts may use together, unless one whole context needs more. */
const KV_BUDGET_BYTES = 1 << 30;
/** Contexts that a small model's cache holds at once. */
const KV_CONTEXTS = 16;
/** A WASM memory ends at 4 GiB; the last page stays free so that no address wraps. */
const BANK_BYTES = 2 ** 32 - 65_536;

/** A model ready to compute. */
export interface ModelMemory {
  readonly config: ModelConfig;
  readonly program: Program;
  readonly plan: MemoryPlan;
  readonly memories: readonly WebAssembly.Memory[];
  /** Tokens of one sequence: the model's own limit, or less when the cache cannot hold it. */
  readonly contextLength: number;
}

/** Choices of whoever loads a model. */
export interface ModelMemoryOptions {
  readonly threads: number;
  /** Absent: f32 for float artifacts, q8 for quantised ones. */
  readonly kvCache?: KvFormat | undefined;
  /** For tests: a small bank makes a small model use several. */
  readonly bankBytes?: number;
}

/** Plans, allocates and fills. Errors: those of config.json and of the artifact; `out_of_memory`. */
export async function loadModelMemory(artifact: Artifact, options: ModelMemoryOptions): Promise<ModelMemory> {
  const { manifest } = artifact;
  const config = parseModelConfig(manifest.config);
  const program = forwardProgram(config);
  const tensors = findTensors(config, artifact);
  const kvFormat = options.kvCache ?? (manifest.quant === 'q8' || manifest.quant === 'q4' ? 'q8' : 'f32');
  const { contextLength, kvBlocks } = sizeCache(config, program, kvFormat);
  const plan = planMemory(program, tensors, {
    kvFormat,
    kvBlocks,
    maxRows: MAX_ROWS,
    maxSequences: MAX_SEQUENCES,
    maxBlocksPerSequence: blocksFor(contextLength),
    threads: options.threads,
    bankBytes: options.bankBytes ?? BANK_BYTES,
  });
  const memories = allocateBanks(plan);
  const placements = tensors.map((entry) => ({
    entry,
    target: tensorView(plan, memories, entry.name, entry.sizeBytes),
  }));
  await loadWeights(artifact, placements, { verify: true });
  return { config, program, plan, memories, contextLength };
}

function sizeCache(
  config: ModelConfig,
  program: Program,
  format: KvFormat,
): { contextLength: number; kvBlocks: number } {
  const blockBytes = kvBytesPerToken(program, format) * KV_BLOCK_TOKENS;
  const affordable = Math.max(1, Math.floor(KV_BUDGET_BYTES / blockBytes));
  const perContext = blocksFor(config.contextLength);
  const contextLength = Math.min(config.contextLength, affordable * KV_BLOCK_TOKENS);
  return { contextLength, kvBlocks: Math.min(affordable, perContext * KV_CONTEXTS) };
}

/** The tensors that the model's config asks for, found in the manifest: input like any other. Errors: `artifact_invalid`. */
function findTensors(config: ModelConfig, artifact: Artifact): TensorEntry[] {
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
