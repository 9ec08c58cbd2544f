import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { quantOf } from '../../weights/index.js';
import { sizeOfAll, type FilePlan } from './file-plan.js';

/**
 * The resources that a pull will take, reported before it begins. All but `downloadBytes` are estimates by the size of the files.
 */
export interface PullEstimate {
  readonly downloadBytes: number;
  /** Disk bytes of the converted model. */
  readonly artifactBytes: number;
  /** The peak of disk bytes: downloaded files and the model. */
  readonly diskBytes: number;
  /** Undefined where the system does not report it. */
  readonly freeBytes: number | undefined;
  /** Memory bytes with a context of some thousand tokens. */
  readonly memoryBytes: number;
  /** The memory budget of models on this machine. */
  readonly budgetBytes: number;
  readonly fits: boolean;
  /** The largest of the repository's quants that fits, where the chosen one does not. */
  readonly fittingQuant: string | undefined;
}

/** Rows and columns are padded, and a tokenizer lies beside the weights. */
const PADDING = 1.03;
/** Activations, threads, a tokenizer, and the KV cache of some thousand tokens of a small model. */
const BESIDE_BYTES = 300 * 1024 * 1024;
/** The KV cache of some thousand tokens grows with a model. */
const CACHE_SHARE = 0.08;
/** Bits per weight of a published checkpoint: bf16 or f16. */
const CHECKPOINT_BITS = 16;
/** The default quant of conversion. */
const DEFAULT_TARGET = 'q8';

/** Estimates a pull of `plan` into `modelsDir`; `budgetBytes`: the memory budget of models. */
export async function estimate(plan: FilePlan, modelsDir: string, budgetBytes: number): Promise<PullEstimate> {
  const downloadBytes = sizeOfAll(plan.small) + sizeOfAll(plan.weights);
  const artifactBytes = artifactBytesOf(plan);
  const memoryBytes = memoryOf(artifactBytes);
  const fits = memoryBytes <= budgetBytes;
  return {
    downloadBytes,
    artifactBytes,
    diskBytes: downloadBytes + artifactBytes,
    freeBytes: await freeBytesAt(modelsDir),
    memoryBytes,
    budgetBytes,
    fits,
    fittingQuant: fits ? undefined : fittingQuant(plan, budgetBytes),
  };
}

function artifactBytesOf(plan: FilePlan): number {
  const weights = sizeOfAll(plan.weights);
  if (plan.format === 'gguf') return Math.ceil(weights * PADDING);
  const bits = quantOf(plan.quant ?? DEFAULT_TARGET).bits + 0.5;
  return Math.ceil((weights * PADDING * bits) / CHECKPOINT_BITS);
}

function memoryOf(artifactBytes: number): number {
  return Math.ceil(artifactBytes * (1 + CACHE_SHARE)) + BESIDE_BYTES;
}

/** Whether a model with GGUF files of this size fits into the memory budget. */
export function fitsMemory(sizeBytes: number, budgetBytes: number): boolean {
  return memoryOf(Math.ceil(sizeBytes * PADDING)) <= budgetBytes;
}

function fittingQuant(plan: FilePlan, budgetBytes: number): string | undefined {
  if (plan.format === 'safetensors') {
    const asQ4 = memoryOf(artifactBytesOf({ ...plan, quant: 'q4' }));
    return asQ4 <= budgetBytes ? 'q4' : undefined;
  }
  const fitting = plan.others.filter(({ sizeBytes }) => fitsMemory(sizeBytes, budgetBytes));
  return fitting.toSorted((a, b) => b.sizeBytes - a.sizeBytes)[0]?.quant;
}

/** Free bytes of the disk that has, or would get, a directory. */
async function freeBytesAt(directory: string): Promise<number | undefined> {
  for (let path = directory; ; path = dirname(path)) {
    const found = await statfs(path).catch(() => undefined);
    if (found !== undefined) return found.blocks === 0 ? undefined : found.bavail * found.bsize;
    if (dirname(path) === path) return undefined;
  }
}
