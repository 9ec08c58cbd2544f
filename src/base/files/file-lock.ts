import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { every, holdingClock, sleep, systemClock, type Clock } from '../clock.js';
import { hasErrorCode } from '../errors.js';
import { bootId } from './boot-id.js';
import { partialPath } from './write-file.js';

/** How often a holder shows that it lives, to processes that cannot ask the system: of another machine or container. */
const BEAT_MS = 5_000;
/** Past this a silent lock is abandoned. */
const SILENT_MS = 60_000;
/** How often a process that waits for a lock looks whether it is free. */
const LOOK_MS = 100;

/** A lock that is held. Disposing of it releases it. */
export type FileLock = AsyncDisposable;

/**
 * Takes the lock file at `path`, null while a living process holds it; one of a dead process is taken over. The lock
 * spares work and no more: two processes may hold it after all, as when both take over at once, so that what is done
 * under it must put its result in place whole (`replaceFile`). Errors: those of the system.
 */
export async function tryLock(path: string, clock: Clock = systemClock): Promise<FileLock | null> {
  if (await isAbandoned(path, clock)) await clear(path);
  const [start, boot] = await Promise.all([startOf(process.pid), bootId()]);
  const owner = JSON.stringify({ host: hostname(), pid: process.pid, start, boot });
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

/**
 * The same for who waits until it is free; `onWait` is told once, with the number of the process that holds it, that it
 * is not. Errors: those of the system, the reason of the signal.
 */
export async function waitForLock(
  path: string,
  { signal, onWait }: { signal?: AbortSignal | undefined; onWait?: (pid: number | undefined) => void } = {},
): Promise<FileLock> {
  for (let isTold = false; ; isTold = true) {
    signal?.throwIfAborted();
    const lock = await tryLock(path);
    if (lock !== null) return lock;
    if (!isTold) onWait?.(await lockOwner(path));
    await sleep(LOOK_MS, holdingClock, signal);
  }
}

/** Whether nobody holds the lock at `path`: it is not there, or its holder is dead. */
export async function isFree(path: string, clock: Clock = systemClock): Promise<boolean> {
  return (await stat(path).catch(() => null)) === null || isAbandoned(path, clock);
}

/** The number of the process that holds the lock at `path`, for a message; undefined where that is not known. */
export async function lockOwner(path: string): Promise<number | undefined> {
  return parseOwner(await readFile(path, 'utf8').catch(() => ''))?.pid;
}

/** Shows that the holder lives. */
async function touch(path: string, clock: Clock): Promise<void> {
  const seconds = clock.unixSeconds();
  await utimes(path, seconds, seconds).catch(() => {});
}

async function isAbandoned(path: string, clock: Clock): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found === null) return false;
  const owner = parseOwner(await readFile(path, 'utf8').catch(() => ''));
  if (owner !== null && owner.host === hostname() && isSameBoot(owner.boot, await bootId())) {
    if (!isAlive(owner.pid)) return true;
    // In a container the process that is started again has the number of the one that died. One that only sleeps keeps it.
    const start = owner.start === undefined ? undefined : await startOf(owner.pid);
    if (start !== undefined) return start !== owner.start;
  }
  return clock.unixSeconds() * 1000 - found.mtimeMs > SILENT_MS;
}

/** When a process started, in a form that tells two with the same number apart; undefined where the system does not say it. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // Source: proc(5), fields 3 and 22. The second is a name in parentheses, which may hold blanks.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  // A process that ended and that its parent did not ask for.
  return fields?.[0] === 'Z' ? 'ended' : fields?.[19];
}

/**
 * Whether numbers of processes mean the same to both: not after the machine has started again, nor on another machine with
 * the same name. Where one of them is not known, they may.
 */
function isSameBoot(theirs: string | undefined, ours: string | undefined): boolean {
  return theirs === undefined || ours === undefined || theirs === ours;
}

/** What a lock file says of its holder. */
interface Owner {
  readonly host: unknown;
  readonly pid: number;
  readonly start: string | undefined;
  readonly boot: string | undefined;
}

/** Null while its holder has yet to write who it is. */
function parseOwner(text: string): Owner | null {
  try {
    const owner: unknown = JSON.parse(text);
    if (typeof owner !== 'object' || owner === null || !('host' in owner) || !('pid' in owner)) return null;
    if (typeof owner.pid !== 'number') return null;
    const start = 'start' in owner && typeof owner.start === 'string' ? owner.start : undefined;
    const boot = 'boot' in owner && typeof owner.boot === 'string' ? owner.boot : undefined;
    return { host: owner.host, pid: owner.pid, start, boot };
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
