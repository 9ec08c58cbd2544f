import { createHash, randomBytes } from 'node:crypto';
import { open, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../base/index.js';

/** Bytes of one read: some milliseconds of hashing. */
const READ_BYTES = 4 * 1024 * 1024;
/** Where digests are remembered, in the models directory. */
const FOLDER = '.digests';

/**
 * SHA-256 of a file, in hex. It is remembered in `modelsDir` under everything that tells the file from another and from
 * itself of before: path, device, inode, size, times of change. So a file of gigabytes is read once.
 */
export async function digestOf(path: string, modelsDir: string, signal?: AbortSignal): Promise<string> {
  const key = await identityOf(path);
  const remembered = join(modelsDir, FOLDER, key);
  const known = await readFile(remembered, 'utf8').catch(() => '');
  if (/^[0-9a-f]{64}$/.test(known)) return known;
  const digest = await hash(path, signal);
  // What changed while it was read is not remembered.
  if ((await identityOf(path)) === key) await remember(join(modelsDir, FOLDER), key, digest);
  return digest;
}

async function identityOf(path: string): Promise<string> {
  const real = await realpath(path);
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(real, { bigint: true });
  return createHash('sha256').update([real, dev, ino, size, mtimeNs, ctimeNs].join('\0')).digest('hex').slice(0, 32);
}

async function hash(path: string, signal: AbortSignal | undefined): Promise<string> {
  const sum = createHash('sha256');
  const buffer = new Uint8Array(READ_BYTES);
  await using file = await open(path);
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) return sum.digest('hex');
    sum.update(buffer.subarray(0, bytesRead));
  }
}

async function remember(folder: string, key: string, digest: string): Promise<void> {
  await makeDirectory(folder);
  const partial = join(folder, `${key}.${randomBytes(6).toString('hex')}`);
  await writeFile(partial, digest);
  await rename(partial, join(folder, key));
}
