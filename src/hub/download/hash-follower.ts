import { createThreadPool, type ThreadPool } from '../../base/index.js';
import type { HubFile } from '../api/hub-api.js';
import { hashFile, type HashJob } from './hash-job.js';

/** Smaller files are hashed sooner than a thread has started. */
const THREAD_FROM_BYTES = 16 * 1024 * 1024;
/** Heap of the thread: its read buffers lie outside. */
const HEAP_MB = 32;

/** Hashes a file from its beginning on while it grows. Disposing of it ends the work. */
export interface HashFollower extends AsyncDisposable {
  /** So many bytes from the beginning are there. */
  advance(bytes: number): void;
  /** The hash of the whole file, once all of it has arrived. Errors: those of reading files. */
  digest(): Promise<string>;
}

/** Hashes the file at `path` while it grows. A small file is hashed at its end, a large one on a thread. */
export async function followHash(path: string, { sizeBytes, hash }: HubFile): Promise<HashFollower> {
  const state = new BigInt64Array(new SharedArrayBuffer(16));
  const job: HashJob = { path, sizeBytes, kind: hash.kind, state };
  if (sizeBytes < THREAD_FROM_BYTES) {
    return {
      advance: (bytes) => void Atomics.store(state, 0, BigInt(bytes)),
      digest: async () => hashFile(job) ?? '',
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const pool: ThreadPool<HashJob, string | null> = await createThreadPool({
    file: 'dist/src/hub/download/hash-thread.js',
    minThreads: 1,
    maxThreads: 1,
    heapMb: HEAP_MB,
  });
  const broken = new Promise<never>((_, reject) => pool.on('error', reject));
  const running = Promise.race([pool.run(job, { name: 'run' }), broken]);
  // It may fail before anybody asks for the digest.
  running.catch(() => {});
  return {
    advance(bytes) {
      Atomics.store(state, 0, BigInt(bytes));
      Atomics.notify(state, 0);
    },
    digest: async () => (await running) ?? '',
    async [Symbol.asyncDispose]() {
      Atomics.store(state, 1, 1n);
      Atomics.notify(state, 0);
      await pool.destroy();
    },
  };
}
