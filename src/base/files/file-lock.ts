import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { every, holdingClock, sleep, systemClock, type Clock } from '../clock.js';
import { hasErrorCode } from '../errors.js';
import { bootId } from './boot-id.js';
import { partialPath } from './write-file.js';

/** Interval at which a holder touches its lock, for processes of another machine or container: these cannot ask the system. */
const BEAT_MS = 5_000;
/** A lock without a touch for this long is abandoned. */
const SILENT_MS = 60_000;
/** Interval at which a waiting process checks the lock. */
const LOOK_MS = 100;

/** A held lock. Disposing of it releases it. */
export type FileLock = AsyncDisposable;

/**
 * Takes the lock file at `path`; null while a living process holds it. A dead process's lock is taken over. The lock
 * only saves double work: two processes may hold it after all, as when both take over at once. So the work under it
 * must put its result into place whole (`replaceFile`). Errors: those of the system.
 */
export async function tryLock(path: string, clock: Clock = systemClock): Promise<FileLock | null> {
  if (await isAbandoned(path, clock)) await clear(path);
  const [start, boot] = await Promise.all([startOf(process.pid), bootId()]);
  const owner = JSON.stringify({ host: hostname(), pid: process.pid, start, boot });
  try {
    await writeFile(path, owner, { flag: 'wx' });
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return null;
    // On a full disk the file may exist without its content.
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
  const stop = every(BEAT_MS, clock, () => void touch(path, clock));
  return {
    async [Symbol.asyncDispose]() {
      stop();
      // A lock file that remains is abandoned once its process ends.
      await rm(path, { force: true }).catch(() => {});
    },
  };
}

/**
 * Waits until the lock is free and takes it. When it is held, calls `onWait` once with the holder's process number.
 * Errors: those of the system, the reason of the signal.
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

/** Whether the lock at `path` is free: it does not exist, or its holder is dead. */
export async function isFree(path: string, clock: Clock = systemClock): Promise<boolean> {
  return (await stat(path).catch(() => null)) === null || isAbandoned(path, clock);
}

/** The process number of the holder of the lock at `path`, for a message; undefined when unknown. */
export async function lockOwner(path: string): Promise<number | undefined> {
  return parseOwner(await readFile(path, 'utf8').catch(() => ''))?.pid;
}

/** Touches the lock file: its holder lives. */
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
    // In a container a restarted process has the number of the dead one. A suspended process keeps its number and its
    // start time.
    const start = owner.start === undefined ? undefined : await startOf(owner.pid);
    if (start !== undefined) return start !== owner.start;
  }
  return clock.unixSeconds() * 1000 - found.mtimeMs > SILENT_MS;
}

/**
 * A process's start time, in a form that distinguishes two with the same number; undefined where the system does not
 * report it.
 */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // Source: proc(5), fields 3 and 22. The second is a name in parentheses, which may hold blanks.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  // A zombie: it has ended, and its parent has not waited for it.
  return fields?.[0] === 'Z' ? 'ended' : fields?.[19];
}

/**
 * Whether process numbers mean the same to both. They do not after a reboot, nor on another machine with the same name.
 * Where one boot id is not known, they may.
 */
function isSameBoot(theirs: string | undefined, ours: string | undefined): boolean {
  return theirs === undefined || ours === undefined || theirs === ours;
}

/** The content of a lock file. */
interface Owner {
  readonly host: unknown;
  readonly pid: number;
  readonly start: string | undefined;
  readonly boot: string | undefined;
}

/** Null while the holder has yet to write the content. */
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
    // A process of another user may not be signalled, but it exists.
    return hasErrorCode(error, 'EPERM');
  }
}

/** Renames the lock before its removal, so that only one of several processes clears it. */
async function clear(path: string): Promise<void> {
  const moved = partialPath(path);
  await rename(path, moved).then(
    () => rm(moved, { force: true }),
    () => {},
  );
}
