// The hash of the admin token, in a file that only the user of this process can read. So signing in does not depend on
// a database.
import { closeSync, constants, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, hasErrorCode, isError, replaceFile, throwFileError } from '../../base/index.js';

/** Its name in the data directory. */
export const ADMIN_TOKEN_FILE = 'admin-token.json';
const MODE = 0o600;
/** It has some 120 bytes. */
const MAX_BYTES = 1_024;
const HASH = /^[0-9a-f]{64}$/;

/** The state of an admin token: a hash, none, or a file that cannot be trusted. */
export type AdminTokenState =
  | { readonly state: 'issued'; readonly hash: string }
  | { readonly state: 'none' }
  /** Errors: `admin_token_unusable`. */
  | { readonly state: 'unusable'; readonly error: AppError };

/**
 * Reads the file of a data directory. Never fails: every fault of the file is a state. Reads it in one step: a removed
 * file lets no request in.
 */
export function readAdminToken(directory: string): AdminTokenState {
  const path = join(directory, ADMIN_TOKEN_FILE);
  try {
    const { mode, uid, size } = lstatFile(path);
    const fault = process.platform === 'win32' ? undefined : findFault(mode, uid);
    if (fault !== undefined) return unusable(path, fault);
    if (size > MAX_BYTES) return unusable(path, `it has ${size} bytes, and ours has some 120`);
    const hash = parseHash(readRegular(path));
    return hash === undefined
      ? unusable(path, 'its content was changed by another program')
      : { state: 'issued', hash };
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return { state: 'none' };
    return unusable(path, isError(error) ? error.message : 'it cannot be read');
  }
}

/** Identifies a version of the token file without reading it; undefined: no file. */
export function markAdminToken(directory: string): string | undefined {
  try {
    const { ino, size, mode, uid, mtimeNs, ctimeNs } = lstatSync(join(directory, ADMIN_TOKEN_FILE), { bigint: true });
    return [ino, size, mode, uid, mtimeNs, ctimeNs].join(' ');
  } catch {
    return undefined;
  }
}

/** Writes a hash to the file, atomically, with mode 0600. Errors: those of the system. */
export async function writeAdminToken(directory: string, hash: string): Promise<void> {
  const path = join(directory, ADMIN_TOKEN_FILE);
  await replaceFile(path, `${JSON.stringify({ version: 1, sha256: hash })}\n`, MODE).catch(
    throwFileError('write', path),
  );
}

function lstatFile(path: string) {
  const stat = lstatSync(path);
  if (!stat.isFile()) throw new Error('it is no regular file');
  return stat;
}

/** A link that replaces the file in between is not followed. */
function readRegular(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NOFOLLOW));
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function findFault(mode: number, uid: number): string | undefined {
  if ((mode & 0o077) !== 0) return `others may read or write it (mode ${(mode & 0o777).toString(8).padStart(4, '0')})`;
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0 ? undefined : 'it belongs to another user';
}

function parseHash(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const hash: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'sha256') : undefined;
    return typeof hash === 'string' && HASH.test(hash) ? hash : undefined;
  } catch {
    return undefined;
  }
}

function unusable(path: string, why: string): AdminTokenState {
  const message = `the file of the admin token, ${path}, cannot be used: ${why}; issue another token with private-gateway admin-token, which replaces it`;
  return { state: 'unusable', error: new AppError('admin_token_unusable', message, { path }) };
}
