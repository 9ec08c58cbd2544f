import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { OnProgress } from '../artifact/index.js';
import {
  assert,
  createThreadPool,
  every,
  makeDirectory,
  replaceFile,
  systemClock,
  throwFileError,
  toFileError,
} from '../base/index.js';
import { runDigestJob, type DigestJob, type DigestResult } from './digest-job.js';

/** Smaller files are hashed sooner than a thread would have started. */
const THREAD_FROM_BYTES = 64 * 1024 * 1024;
/** Heap of a thread: what it reads lies beside. */
const HEAP_MB = 64;
/** How often progress is told, and the signal looked at, ms. */
const TELL_MS = 50;
/** Where digests are remembered, in the cache directory. */
const FOLDER = 'digests';

/** Who is told of the phase `hash`, and what ends it. */
export interface DigestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Awaited before the digest is remembered or given; where it fails, neither happens. */
  readonly after?: Promise<unknown>;
}

/**
 * SHA-256 of a file, or of the parts of one behind each other, in hex. It is remembered in `cache`, where that can be written,
 * under their identity: so a file of gigabytes is read once. Errors: those of reading files; the reason of the signal.
 */
export async function digestOf(paths: readonly string[], cache: string, options: DigestOptions = {}): Promise<string> {
  const identity = await identityOf(paths);
  const known = await knownDigest(identity, cache);
  if (known !== undefined) return known;
  const [digest] = await Promise.all([hash(paths, options), options.after]);
  // What changed while it was read is not remembered.
  if ((await identityOf(paths)) === identity) await remember(join(cache, FOLDER), identity, digest);
  return digest;
}

/** The digest that is remembered for a file of that identity. */
export async function knownDigest(identity: string, cache: string): Promise<string | undefined> {
  const known = await readFile(join(cache, FOLDER, identity), 'utf8').catch(() => '');
  return /^[0-9a-f]{64}$/.test(known) ? known : undefined;
}

/**
 * What tells a file, or the parts of one, from others and from itself of before: path, device, inode, size, times of change.
 * Errors: those of reading files.
 */
export async function identityOf(paths: readonly string[]): Promise<string> {
  const facts: unknown[] = [];
  for (const path of paths) {
    const real = await realpath(path).catch(throwFileError('read', path));
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(real, { bigint: true }).catch(throwFileError('read', path));
    facts.push(real, dev, ino, size, mtimeNs, ctimeNs);
  }
  return createHash('sha256').update(facts.join('\0')).digest('hex').slice(0, 32);
}

/** On a thread where that takes longer than a thread to start: whoever asks has other work meanwhile. */
async function hash(paths: readonly string[], { signal, onProgress }: DigestOptions): Promise<string> {
  const sizes = await Promise.all(paths.map(sizeOf));
  const size = sizes.reduce((all, each) => all + each, 0);
  const job: DigestJob = { paths, state: new Float64Array(new SharedArrayBuffer(16)) };
  const tell = (): void => {
    if (signal?.aborted === true) job.state[1] = 1;
    const doneBytes = job.state[0] as number;
    onProgress?.({ phase: 'hash', doneBytes, totalBytes: Math.max(size, doneBytes) });
  };
  tell();
  const result = await (size < THREAD_FROM_BYTES ? hashHere(job, tell) : hashOnThread(job, tell));
  signal?.throwIfAborted();
  tell();
  assert(result !== null, 'nothing but the signal stops it');
  if ('digest' in result) return result.digest;
  const { path, errorCode } = result;
  throw toFileError(Object.assign(new Error(errorCode), { code: errorCode, syscall: 'read' }), 'read', path);
}

async function hashHere(job: DigestJob, tell: () => void): Promise<DigestResult | null> {
  const steps = runDigestJob(job);
  for (;;) {
    const step = steps.next();
    tell();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}

async function hashOnThread(job: DigestJob, tell: () => void): Promise<DigestResult | null> {
  const pool = await createThreadPool<DigestJob, DigestResult | null>({
    file: 'dist/src/store/digest-thread.js',
    minThreads: 1,
    maxThreads: 1,
    heapMb: HEAP_MB,
  });
  // A thread that dies between two tasks is heard as an event, which would end the process if nobody listened.
  const broken = new Promise<never>((_, reject) => pool.on('error', reject));
  const stopTelling = every(TELL_MS, systemClock, tell);
  try {
    return await Promise.race([pool.run(job, { name: 'run' }), broken]);
  } finally {
    stopTelling();
    await pool.destroy();
  }
}

async function sizeOf(path: string): Promise<number> {
  const { size } = await stat(path).catch(throwFileError('read', path));
  return size;
}

/** Without it the file is only read again. */
async function remember(folder: string, key: string, digest: string): Promise<void> {
  await makeDirectory(folder)
    .then(() => replaceFile(join(folder, key), digest))
    .catch(() => {});
}
