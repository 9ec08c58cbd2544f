import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { every, systemClock, type Clock } from '../clock.js';
import { hasErrorCode } from '../errors.js';
import { partialPath } from './write-file.js';

/** How often a holder shows that it lives, to processes that cannot ask the system: of another machine or container. */
const BEAT_MS = 5_000;
/** Past this a silent lock is abandoned. */
const SILENT_MS = 60_000;

/** A lock that is held. Disposing of it releases it. */
export type FileLock = AsyncDisposable;

/**
 * Takes the lock file at `path`, null while a living process holds it; one of a dead process is taken over. The lock
 * spares work and no more: two processes may hold it after all, as when both take over at once, so that what is done
 * under it must put its result in place whole (`replaceFile`). Errors: those of the system.
 */
export async function tryLock(path: string, clock: Clock = systemClock): Promise<FileLock | null> {
  if (await isAbandoned(path, clock)) await clear(path);
  const owner = JSON.stringify({ host: hostname(), pid: process.pid });
  try {
    await writeFile(path, owner, { flag: 'wx' });
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return null;
    // On a full disk the file may be there without what it should say.
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
  const stop = every(BEAT_MS, clock, () => void touch(path, clock));
  return {
    async [Symbol.asyncDispose]() {
      stop();
      // One that stays behind is abandoned once its process ends.
      await rm(path, { force: true }).catch(() => {});
    },
  };
}

/** Whether nobody holds the lock at `path`: it is not there, or its holder is dead. */
export async function isFree(path: string, clock: Clock = systemClock): Promise<boolean> {
  return (await stat(path).catch(() => null)) === null || isAbandoned(path, clock);
}

/** Shows that the holder lives. */
async function touch(path: string, clock: Clock): Promise<void> {
  const seconds = clock.unixSeconds();
  await utimes(path, seconds, seconds).catch(() => {});
}

async function isAbandoned(path: string, clock: Clock): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found === null) return false;
  if (clock.unixSeconds() * 1000 - found.mtimeMs > SILENT_MS) return true;
  const owner = parseOwner(await readFile(path, 'utf8').catch(() => ''));
  return owner !== null && owner.host === hostname() && !isAlive(owner.pid);
}

/** Null while its holder has yet to write who it is. */
function parseOwner(text: string): { host: unknown; pid: number } | null {
  try {
    const owner: unknown = JSON.parse(text);
    if (typeof owner !== 'object' || owner === null || !('host' in owner) || !('pid' in owner)) return null;
    return typeof owner.pid === 'number' ? { host: owner.host, pid: owner.pid } : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be asked, but it is there.
    return hasErrorCode(error, 'EPERM');
  }
}

/** Moved away before it is removed, so that of several that clear it one succeeds. */
async function clear(path: string): Promise<void> {
  const moved = partialPath(path);
  await rename(path, moved).then(
    () => rm(moved, { force: true }),
    () => {},
  );
}
