import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError, present } from '../../base/index.js';
import { convertCheckpoint } from '../../convert/index.js';
import { pathOf, startDownloads, totalOf, type Downloads, type DownloadsOptions } from './downloads.js';
import type { FilePlan } from './file-plan.js';

/** The artifact to build, and its files. */
export interface BuildOptions extends Omit<DownloadsOptions, 'totalBytes' | 'before'> {
  readonly plan: FilePlan;
  /** Where the artifact is made; nothing is there. */
  readonly artifact: string;
}

/** Errors of a converter that unverified bytes may have caused. */
const DOUBTFUL: readonly string[] = [
  'checkpoint_invalid',
  'weight_not_finite',
  'tokenizer_invalid',
  'checkpoint_mismatch',
];

/**
 * Downloads the files of a plan and makes an artifact of them. Weights are converted while they arrive: a read waits for its
 * bytes. The artifact counts only after all hashes match. If bytes had to be fetched again, the conversion is repeated. Returns
 * the bytes that came over the network. Errors: those of downloads and of `convertCheckpoint`; `disk_full` before anything
 * begins.
 */
export async function buildArtifact(options: BuildOptions): Promise<number> {
  const { plan, signal: given } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([given, ending.signal]);
  const shared = { ...options, signal, totalBytes: totalOf(plan.small, plan.weights) };
  try {
    const small = await startDownloads(plan.small, { ...shared, before: 0 });
    await small.done;
    const weights = await startDownloads(plan.weights, { ...shared, before: totalOf(plan.small) });
    await convertWhileComing(weights, options, signal);
    return small.fetchedBytes() + weights.fetchedBytes();
  } catch (error) {
    // The remaining bytes are of no use: stop the downloads. Received bytes are kept.
    ending.abort(error);
    throw error;
  }
}

async function convertWhileComing(weights: Downloads, options: BuildOptions, signal: AbortSignal): Promise<void> {
  const { plan, directory, artifact, onEvent } = options;
  const first = present(plan.weights[0], 'a plan has weights');
  const source = plan.format === 'gguf' ? pathOf(directory, first) : directory;
  const failing = new AbortController();
  let isBeside = true;
  weights.done.then(
    () => (isBeside = false),
    (error: unknown) => failing.abort(error),
  );
  for (;;) {
    const rewrites = weights.rewrites();
    try {
      await convertCheckpoint({
        source,
        out: artifact,
        quant: plan.format === 'safetensors' ? plan.quant : undefined,
        signal: AbortSignal.any([signal, failing.signal]),
        beforeRead: weights.beforeRead,
        onProgress: ({ doneBytes, totalBytes }) => onEvent({ kind: 'convert', doneBytes, totalBytes, isBeside }),
        onNotice: (notice) => onEvent({ kind: 'notice', notice }),
      });
      await weights.done;
      if (weights.rewrites() === rewrites) return;
    } catch (error) {
      if (!isAppError(error) || !DOUBTFUL.includes(error.code)) throw error;
      await weights.done;
      if (weights.rewrites() === rewrites) throw error;
    }
    // It was converted from wrong bytes.
    await rm(artifact, { recursive: true, force: true });
  }
}

/** Bytes that files of a directory take on the disk, holes left out. */
export async function sizeOnDisk(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) {
    const found = entry.isFile() ? await stat(join(entry.parentPath, entry.name)).catch(() => undefined) : undefined;
    sum += Math.min(found?.size ?? 0, (found?.blocks ?? 0) * 512);
  }
  return sum;
}

/** Errors: `disk_full`. `freeBytes`: undefined where it is not known. */
export function checkRoom(modelsDir: string, neededBytes: number, freeBytes: number | undefined): void {
  if (freeBytes === undefined || neededBytes <= freeBytes) return;
  const [needed, free] = [neededBytes, freeBytes].map((bytes) => `${(bytes / 2 ** 30).toFixed(2)} GiB`);
  const message = `the pull takes ${needed} of disk while it is converted, and ${free} are free at ${modelsDir}; make room, or choose another models directory (--models-dir)`;
  throw new AppError('disk_full', message, { path: modelsDir, totalBytes: neededBytes, freeBytes });
}
