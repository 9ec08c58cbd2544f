import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { ErrorData } from '../base/index.js';
import { packBatch, type Batch } from './pack-batch.js';

/** Below this many weights a thread would start for longer than it saves. */
const THREADS_FROM_WEIGHTS = 64 * 1024 * 1024;
/** One thread reads for all: more packers would wait for it. */
const MAX_THREADS = 8;

/** Packs batches, several at once where there are threads. */
export interface Packer extends AsyncDisposable {
  /** Batches that are worth having under way. */
  readonly depth: number;
  pack(batch: Batch): Promise<ErrorData | null>;
}

/** A packer for a model of `numWeights`: on this thread when it is small. */
export function createPacker(numWeights: number): Packer {
  const threads = numWeights < THREADS_FROM_WEIGHTS ? 0 : Math.min(MAX_THREADS, availableParallelism());
  if (threads <= 1) return { depth: 1, pack: async (batch) => packBatch(batch), async [Symbol.asyncDispose]() {} };
  const pool = new Piscina<Batch, ErrorData | null>({
    filename: fileURLToPath(new URL('./pack-batch.js', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
  });
  return {
    depth: threads + 1,
    pack: (batch) => pool.run(batch, { name: 'packBatch' }),
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
