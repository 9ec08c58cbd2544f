import { createHash } from 'node:crypto';
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OnProgress } from '../artifact/index.js';
import { makeDirectory, replaceFile, throwFileError } from '../base/index.js';

/** Bytes of one read: some milliseconds of hashing. */
const READ_BYTES = 4 * 1024 * 1024;
/** Where digests are remembered, in the cache directory. */
const FOLDER = 'digests';

/** Who is told of the phase `hash`, and what ends it. */
export interface DigestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/**
 * SHA-256 of a file, in hex. It is remembered in `cache`, where that can be written, under the file's identity: so a file
 * of gigabytes is read once. Errors: those of reading files; the reason of the signal.
 */
export async function digestOf(path: string, cache: string, options: DigestOptions = {}): Promise<string> {
  const identity = await identityOf(path);
  const known = await knownDigest(identity, cache);
  if (known !== undefined) return known;
  const digest = await hash(path, options).catch(throwFileError('read', path));
  // What changed while it was read is not remembered.
  if ((await identityOf(path)) === identity) await remember(join(cache, FOLDER), identity, digest);
  return digest;
}

/** The digest that is remembered for a file of that identity. */
export async function knownDigest(identity: string, cache: string): Promise<string | undefined> {
  const known = await readFile(join(cache, FOLDER, identity), 'utf8').catch(() => '');
  return /^[0-9a-f]{64}$/.test(known) ? known : undefined;
}

/**
 * What tells a file from another and from itself of before: path, device, inode, size, times of change.
 * Errors: those of reading files.
 */
export async function identityOf(path: string): Promise<string> {
  const real = await realpath(path).catch(throwFileError('read', path));
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(real, { bigint: true }).catch(throwFileError('read', path));
  return createHash('sha256').update([real, dev, ino, size, mtimeNs, ctimeNs].join('\0')).digest('hex').slice(0, 32);
}

async function hash(path: string, { signal, onProgress }: DigestOptions): Promise<string> {
  const sum = createHash('sha256');
  const buffer = new Uint8Array(READ_BYTES);
  await using file = await open(path);
  const { size } = await file.stat();
  for (let doneBytes = 0; ;) {
    signal?.throwIfAborted();
    onProgress?.({ phase: 'hash', doneBytes, totalBytes: Math.max(size, doneBytes) });
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) return sum.digest('hex');
    sum.update(buffer.subarray(0, bytesRead));
    doneBytes += bytesRead;
  }
}

/** Without it the file is only read again. */
async function remember(folder: string, key: string, digest: string): Promise<void> {
  await makeDirectory(folder)
    .then(() => replaceFile(join(folder, key), digest))
    .catch(() => {});
}
