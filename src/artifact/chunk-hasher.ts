import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { createThreadPool, usableCores, waitFor } from '../base/index.js';
import { CHUNK_BYTES } from './manifest.js';
import { ChunkSums, type SumsTask } from './sums-thread.js';

/** Below this a thread costs too much: its start takes 70 ms of processor time, and these bytes hash in 160 ms. */
const THREAD_FROM_BYTES = 256 * 1024 * 1024;
/** Heap of the thread: the hashed data lies outside of it. */
const HEAP_MB = 64;
/** Hashing some MiB takes milliseconds; past this limit the thread hangs. */
const LIMIT_MS = 60_000;

/** Hashes bytes during their writing, chunk by chunk. One call at a time. */
export interface ChunkHasher extends AsyncDisposable {
  /** Hashes the next bytes; they may be reused when it resolves. Errors: `deadline_exceeded`. */
  add(bytes: Uint8Array): Promise<void>;
  /** SHA-256 of all chunks in hex; no `add` may follow. Errors: `deadline_exceeded`. */
  finish(): Promise<string[]>;
}

/** A hasher for some `totalBytes`: on a thread where hashing takes longer than a thread's start and there is a core for it. */
export async function createChunkHasher(totalBytes: number): Promise<ChunkHasher> {
  return totalBytes < THREAD_FROM_BYTES || usableCores() < 2 ? hashHere() : hashOnThread();
}

function hashHere(): ChunkHasher {
  const sums = new ChunkSums(CHUNK_BYTES);
  return {
    add: async (bytes) => sums.add(bytes),
    finish: async () => sums.finish(),
    async [Symbol.asyncDispose]() {},
  };
}

/** Bytes in shared memory are hashed in place; others are copied to the thread. */
async function hashOnThread(): Promise<ChunkHasher> {
  const pool = await createThreadPool<SumsTask, string[]>({
    file: 'dist/src/artifact/sums-thread.js',
    minThreads: 1,
    maxThreads: 1,
    heapMb: HEAP_MB,
  });
  // A thread's death emits an 'error' event, which would end the process without a listener.
  const broken = new Promise<never>((_, reject) => pool.on('error', reject));
  const { port1: port, port2 } = new MessageChannel();
  const sums = Promise.race([
    pool.run({ port: port2, chunkBytes: CHUNK_BYTES }, { name: 'run', transferList: [port2] }),
    broken,
  ]);
  // The promise may reject before a caller awaits it.
  sums.catch(() => {});
  const within = <T>(promise: Promise<T>): Promise<T> =>
    waitFor(promise, 'hashing what is written', { deadlineMs: LIMIT_MS });
  return {
    async add(bytes) {
      const { buffer, length } = bytes;
      // Posting a view copies its whole buffer.
      const sent = buffer instanceof SharedArrayBuffer || buffer.byteLength === length ? bytes : bytes.slice();
      const answer = once(port, 'message');
      port.postMessage(sent);
      await within(Promise.race([answer, sums]));
    },
    async finish() {
      port.postMessage(null);
      return within(sums);
    },
    async [Symbol.asyncDispose]() {
      port.close();
      await pool.destroy();
    },
  };
}
