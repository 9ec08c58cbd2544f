import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { AppError, assert, createThreadPool, every, systemClock, usableCores, waitFor } from '../base/index.js';
import { runChunkJob, STOP, type ChunkFault, type ChunkJob, type Segment } from './chunk-job.js';
import { corrupt } from './errors.js';
import type { OnProgress } from './load-progress.js';
import { WEIGHTS_NAME, type Manifest, type TensorEntry } from './manifest.js';

/** Below this a thread's start takes longer than it saves. */
const THREADS_FROM_BYTES = 64 * 1024 * 1024;
/** SHA-256 runs at some 1.7 GB/s a core: more threads would wait for memory or disk. */
const MAX_THREADS = 8;

/** Heap of a hashing thread: its data lies in shared memory; it allocates only a few buffers. */
const HEAP_MB = 64;
/** Time limit for all weights of a model: 100 GB from a disk of 50 MB/s; past it the disk hangs. */
const LIMIT_MS = 2_000_000;

/** A tensor and its target memory: exactly its packed size, best over shared memory. */
export interface TensorTarget {
  readonly entry: TensorEntry;
  readonly target: Uint8Array;
}

/** The fields of an open artifact that loading reads. */
export interface WeightsFile {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly weightsFd: number;
}

/** Progress callback and abort signal of a load. */
export interface FillOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called in the phase `load`, or `convert` where weights are packed; must not throw. */
  readonly onProgress?: OnProgress | undefined;
}

/** `verify`: hash every chunk, also those without a requested tensor. `threads`: default by size and cores. */
export interface WeightLoadOptions extends FillOptions {
  readonly verify: boolean;
  readonly threads?: number;
}

/** Interval of progress reports when other threads read. */
const TELL_MS = 100;

/**
 * Reads tensors into their targets, each byte once, and hashes it on the way. Several threads share large weights when
 * all targets are in shared memory. On an error the targets hold partial data. Errors: `artifact_corrupt`, `io_failed`,
 * the reason of the signal.
 */
export async function loadWeights(
  artifact: WeightsFile,
  placements: readonly TensorTarget[],
  options: WeightLoadOptions,
): Promise<void> {
  const { signal } = options;
  signal?.throwIfAborted();
  const job = toJob(artifact, placements, options.verify);
  const stop = (): void => void Atomics.store(job.state, STOP, 1);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const threads = chooseThreads(job, options.threads);
    const tell = teller(job, options.onProgress);
    tell();
    const faults = threads <= 1 ? [await runHere(job, tell)] : await runOnThreads(job, threads, tell);
    signal?.throwIfAborted();
    const fault = faults.find((found) => found !== null);
    if (fault) throw toError(artifact, fault);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

function toJob(artifact: WeightsFile, placements: readonly TensorTarget[], verify: boolean): ChunkJob {
  const { chunkBytes, chunkSha256 } = artifact.manifest.weights;
  const segments: Segment[] = placements
    .map(({ entry, target }) => {
      assert(target.length === entry.sizeBytes, `target of ${entry.name} has ${target.length} bytes`);
      return { start: entry.offset, target };
    })
    .toSorted((a, b) => a.start - b.start);
  return {
    fd: artifact.weightsFd,
    sizeBytes: artifact.manifest.files.find(({ path }) => path === WEIGHTS_NAME)?.sizeBytes ?? 0,
    chunkBytes,
    chunkSha256: verify ? chunkSha256 : [],
    segments,
    state: new Int32Array(new SharedArrayBuffer(8)),
  };
}

function chooseThreads(job: ChunkJob, asked: number | undefined): number {
  // Memory that is not shared would be copied to the thread, and the thread would fill the copy.
  if (!job.segments.every(({ target }) => target.buffer instanceof SharedArrayBuffer)) return 1;
  if (asked !== undefined) return asked;
  return job.sizeBytes < THREADS_FROM_BYTES ? 1 : Math.min(MAX_THREADS, usableCores());
}

/** Returns a function that reports the bytes of the chunks taken so far. */
function teller({ state, chunkBytes, sizeBytes }: ChunkJob, onProgress: OnProgress | undefined): () => void {
  return () =>
    onProgress?.({
      phase: 'load',
      doneBytes: Math.min(Atomics.load(state, 0) * chunkBytes, sizeBytes),
      totalBytes: sizeBytes,
    });
}

/** Runs the job on this thread, which handles signals and sockets after every chunk. */
async function runHere(job: ChunkJob, tell: () => void): Promise<ChunkFault | null> {
  const steps = runChunkJob(job);
  for (;;) {
    const step = steps.next();
    tell();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}

async function runOnThreads(job: ChunkJob, threads: number, tell: () => void): Promise<(ChunkFault | null)[]> {
  const pool = await createThreadPool<ChunkJob, ChunkFault | null>({
    file: 'dist/src/artifact/chunk-thread.js',
    minThreads: threads,
    maxThreads: threads,
    heapMb: HEAP_MB,
  });
  // A thread's death between two tasks emits an 'error' event, which would end the process without a listener.
  const broken = new Promise<never>((_, reject) => pool.on('error', reject));
  const stopTelling = every(TELL_MS, systemClock, tell);
  try {
    const runs = Promise.all(Array.from({ length: threads }, () => pool.run(job, { name: 'run' })));
    const faults = await waitFor(Promise.race([runs, broken]), 'reading and hashing the weights', {
      deadlineMs: LIMIT_MS,
    });
    tell();
    return faults;
  } finally {
    stopTelling();
    await pool.destroy();
  }
}

function toError(artifact: WeightsFile, fault: ChunkFault): Error {
  const { chunk, endedAt, errorCode } = fault;
  if (errorCode !== undefined) {
    const path = join(artifact.directory, WEIGHTS_NAME);
    return new AppError('io_failed', `${path} cannot be read: the system says ${errorCode}`, { path });
  }
  if (endedAt !== undefined) return corrupt(artifact.directory, WEIGHTS_NAME, `ended at byte ${endedAt}`);
  const start = chunk * artifact.manifest.weights.chunkBytes;
  return corrupt(
    artifact.directory,
    WEIGHTS_NAME,
    `is altered: chunk ${chunk}, from byte ${start} on, has another hash`,
  );
}
