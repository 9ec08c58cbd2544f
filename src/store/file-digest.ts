import { createHash } from 'node:crypto';
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OnProgress } from '../artifact/index.js';
import { every, makeDirectory, replaceFile, systemClock, throwFileError } from '../base/index.js';
import { createContentMac } from './content-mac.js';
import { readOrMakeKey } from './digest-key.js';

/** Bytes of one read, which takes a millisecond from memory. */
const READ_BYTES = 4 * 1024 * 1024;
/** The interval of progress reports, ms. */
const TELL_MS = 50;
/** Where digests are remembered, in the cache directory. */
const FOLDER = 'digests';
/** The key of this cache's digests, beside them. */
const KEY = 'key';

/** The callback for the phase `hash`, and the signal that ends it. */
export interface DigestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Awaited before the digest is cached or returned; if it fails, neither happens. */
  readonly after?: Promise<unknown>;
}

/**
 * The digest in `cache` of the bytes of a file, or of its parts in order: a code in hex under a key that is kept there
 * (`content-mac.ts`). It is cached under the files' identity, so a file of gigabytes is read once. Errors: those of
 * files; the reason of the signal.
 */
export async function digestOf(paths: readonly string[], cache: string, options: DigestOptions = {}): Promise<string> {
  const identity = await identityOf(paths);
  const known = await knownDigest(identity, cache);
  if (known !== undefined) return known;
  const key = await readOrMakeKey(join(cache, FOLDER, KEY));
  const [digest] = await Promise.all([hash(paths, key, options), options.after]);
  // A file that changed during the reading is not cached.
  if ((await identityOf(paths)) === identity) await remember(join(cache, FOLDER), identity, digest);
  return digest;
}

/** The digest that is remembered for a file of that identity. */
export async function knownDigest(identity: string, cache: string): Promise<string | undefined> {
  const known = await readFile(join(cache, FOLDER, identity), 'utf8').catch(() => '');
  return /^[0-9a-f]{64}$/.test(known) ? known : undefined;
}

/**
 * Identifies a file, or the parts of one, and its version: path, device, inode, size, times of change. Errors: those of
 * reading files.
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

/** On this thread, which stays busy anyway: it costs a fiftieth of a second a gigabyte, and reads wait elsewhere. */
async function hash(paths: readonly string[], key: Uint8Array, { signal, onProgress }: DigestOptions): Promise<string> {
  const sizes = await Promise.all(paths.map(sizeOf));
  const size = sizes.reduce((all, each) => all + each, 0);
  const mac = createContentMac(key);
  let doneBytes = 0;
  const tell = (): void => onProgress?.({ phase: 'hash', doneBytes, totalBytes: Math.max(size, doneBytes) });
  const add = (piece: Uint8Array): void => {
    signal?.throwIfAborted();
    mac.add(piece);
    doneBytes += piece.length;
  };
  tell();
  const stopTelling = every(TELL_MS, systemClock, tell);
  try {
    for (const path of paths) await readPieces(path, add);
  } finally {
    stopTelling();
  }
  signal?.throwIfAborted();
  tell();
  return mac.digest();
}

/** Each piece is used before the next one overwrites it. Errors: those of reading files, and of `use`. */
async function readPieces(path: string, use: (piece: Uint8Array) => void): Promise<void> {
  await using file = await open(path).catch(throwFileError('read', path));
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length).catch(throwFileError('read', path));
    if (bytesRead === 0) return;
    use(buffer.subarray(0, bytesRead));
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
