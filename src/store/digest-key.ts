import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  hasErrorCode,
  holdingClock,
  makeDirectory,
  replaceFile,
  sleep,
  throwFileError,
  tryLock,
} from '../base/index.js';
import { MAC_KEY_BYTES } from './content-mac.js';

/** Interval at which a waiting process checks for a key that another creates. */
const LOOK_MS = 10;

/**
 * Reads the key at `path`, readable by its owner only, or creates it. Concurrent callers, in this process or another,
 * wait for it: two keys would give the same bytes two digests. Errors: those of files.
 */
export async function readOrMakeKey(path: string): Promise<Uint8Array> {
  for (;;) {
    const key = (await readKey(path)) ?? (await tryMake(path).catch(throwFileError('write', path)));
    if (key !== undefined) return key;
    await sleep(LOOK_MS, holdingClock);
  }
}

/** Undefined while another caller creates it. Errors: those of the system. */
async function tryMake(path: string): Promise<Uint8Array | undefined> {
  await makeDirectory(dirname(path));
  await using lock = await tryLock(`${path}.lock`);
  if (lock === null) return undefined;
  const known = await readKey(path);
  if (known !== undefined) return known;
  const made = randomBytes(MAC_KEY_BYTES);
  await replaceFile(path, made, 0o600);
  return made;
}

/** Undefined if it is missing, or not a key. */
async function readKey(path: string): Promise<Uint8Array | undefined> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    return throwFileError('read', path)(error);
  });
  return bytes?.length === MAC_KEY_BYTES ? bytes : undefined;
}
