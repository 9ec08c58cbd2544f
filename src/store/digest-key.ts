import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrorCode, makeDirectory, replaceFile, throwFileError } from '../base/index.js';
import { KEY_BYTES } from './content-mac.js';

/**
 * The key at `path`, its owner's alone, which is made where there is none. Of two processes that make one at once the later
 * one's stays; the other's digests are then remembered, and computed anew for another file. Errors: those of files.
 */
export async function readOrMakeKey(path: string): Promise<Uint8Array> {
  const known = await readKey(path);
  if (known !== undefined) return known;
  const made = randomBytes(KEY_BYTES);
  try {
    await makeDirectory(dirname(path));
    await replaceFile(path, made, 0o600);
  } catch (error) {
    throwFileError('write', path)(error);
  }
  return (await readKey(path)) ?? made;
}

/** Undefined where there is none, or what is there is no key. */
async function readKey(path: string): Promise<Uint8Array | undefined> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    return throwFileError('read', path)(error);
  });
  return bytes?.length === KEY_BYTES ? bytes : undefined;
}
