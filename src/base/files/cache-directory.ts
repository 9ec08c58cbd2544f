import { access, constants, lstat, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AppError } from '../errors.js';
import { fileErrorReason } from './file-errors.js';
import { findHome } from './home.js';
import { makeDirectory } from './make-directory.js';

/** The system's facts that decide the cache directory; tests replace them. */
export interface CacheSystem {
  readonly platform: NodeJS.Platform;
  /** Undefined without a home. */
  readonly home: string | undefined;
  readonly temporary: string;
  /** Effective user id; undefined on Windows. */
  readonly userId: number | undefined;
}

/**
 * The directory for this product's caches, absolute and writable; it and its parents are created. `given`: the caller's
 * choice; then no other is tried. Otherwise the platform's directory of the user. If that is not writable:
 * `troupe-<user id>` in the temporary directory, which must belong to this user alone. Errors: `cache_unwritable`.
 */
export async function findCacheDirectory(given?: string, system: CacheSystem = thisSystem()): Promise<string> {
  if (given !== undefined) {
    const path = resolve(given);
    const why = await tryDirectory(path, 0o777);
    if (why === undefined) return path;
    throw unwritable([[path, why]], 'choose another with --cache-dir, TROUPE_CACHE, or `cacheDir` in the library');
  }
  const tried: [string, string][] = [];
  for (const [path, attempt] of candidates(system)) {
    const why = await attempt();
    if (why === undefined) return path;
    tried.push([path, why]);
  }
  const known = system.home === undefined ? 'there is no home directory; ' : '';
  throw unwritable(tried, `${known}pass --cache-dir, set TROUPE_CACHE, or \`cacheDir\` in the library`);
}

/** The directories to try, in order. Each has an attempt that returns why it cannot be used. */
function* candidates(system: CacheSystem): Generator<[string, () => Promise<string | undefined>]> {
  const { home, temporary, userId } = system;
  if (home !== undefined) {
    const path = join(home, ...platformFolders(system.platform));
    // 0700: required by the XDG base directory specification.
    yield [path, () => tryDirectory(path, 0o700)];
  }
  const fallback = join(resolve(temporary), userId === undefined ? 'troupe' : `troupe-${userId}`);
  yield [fallback, async () => (await tryDirectory(fallback, 0o700)) ?? (await whyNotOwn(fallback, userId))];
}

/** Sources: XDG base directory specification 0.8; Apple, File System Programming Guide; Microsoft, KNOWNFOLDERID (LocalAppData). */
function platformFolders(platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') return ['Library', 'Caches', 'troupe'];
  if (platform === 'win32') return ['AppData', 'Local', 'troupe', 'Cache'];
  return ['.cache', 'troupe'];
}

/** Creates a directory if need be. Undefined when files can be made in it; otherwise the reason why not. */
async function tryDirectory(path: string, mode: number): Promise<string | undefined> {
  try {
    await makeDirectory(path, mode);
    if (!(await stat(path)).isDirectory()) return 'it is not a directory';
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return fileErrorReason(error);
  }
}

/** In a directory that every user may write to, another user may have made it first. Undefined when it is ours alone. */
async function whyNotOwn(path: string, userId: number | undefined): Promise<string | undefined> {
  const { uid, mode, isLink } = await lstat(path).then(
    (found) => ({ uid: found.uid, mode: found.mode, isLink: found.isSymbolicLink() }),
    () => ({ uid: undefined, mode: 0, isLink: false }),
  );
  if (isLink) return 'it is a link';
  if (userId === undefined) return undefined;
  if (uid !== userId) return 'it belongs to another user';
  return (mode & 0o022) === 0 ? undefined : 'other users may write it';
}

function unwritable(tried: readonly (readonly [string, string])[], advice: string): AppError {
  const list = tried.map(([path, why]) => `${path} (${why})`).join(' and ');
  const message = `no cache directory can be written: tried ${list}; ${advice}`;
  return new AppError('cache_unwritable', message, { path: tried.map(([path]) => path).join(', ') });
}

function thisSystem(): CacheSystem {
  return { platform: process.platform, home: findHome(), temporary: tmpdir(), userId: process.geteuid?.() };
}
