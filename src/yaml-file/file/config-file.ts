// A configuration file on the disk: read within limits, written whole with mode 0600, its predecessor kept beside it.
import { createHash } from 'node:crypto';
import { access, constants, link, lstat, open, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  AppError,
  hasErrorCode,
  partialPath,
  replaceFile,
  sleep,
  syncDirectory,
  systemClock,
  throwFileError,
  toFileError,
  tryLock,
  writeDurably,
  type Clock,
  type FileLock,
} from '../../base/index.js';
import { MAX_YAML_BYTES } from '../limits.js';
import { toConfigError } from '../parse/problems.js';
import type { FileKind } from './file-kind.js';

/** Its owner alone: it may have hashes of keys, and has addresses. */
const MODE = 0o600;
/** Another writer holds the lock for milliseconds; each gets as long as this. */
const LOCK_WAIT_MS = 5000;
const LOCK_RETRY_MS = 20;
/** Backups within one second have a number each. */
const MAX_BACKUPS_A_SECOND = 100;

/** The text of a file. */
export interface ConfigText {
  readonly text: string;
  /** Changes with each byte of the file: a writer states which version it read. */
  readonly etag: string;
}

/** Reads a file. Errors: `missing` of its kind, `invalid` for bytes that are not text, those of the system. */
export async function readConfigText(kind: FileKind, path: string): Promise<ConfigText> {
  const bytes = await readLimited(kind, path);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), etag: toEtag(bytes) };
  } catch {
    throw toConfigError(kind, path, [{ line: 1, column: 1, field: '', message: 'the file is not UTF-8' }]);
  }
}

async function readLimited(kind: FileKind, path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path, 'r');
    const buffer = Buffer.alloc(MAX_YAML_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length <= MAX_YAML_BYTES) return buffer.subarray(0, length);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      const message = `there is no file ${path}; ${kind.toMake(path)}`;
      throw new AppError(kind.codes.missing, message, { path }, { cause: error });
    }
    throw toFileError(error, 'read', path);
  }
  const message = `the file has more than ${MAX_YAML_BYTES} bytes`;
  throw toConfigError(kind, path, [{ line: 1, column: 1, field: '', message }]);
}

function toEtag(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Checks before any work that a new file can be written. Errors: `exists` of its kind if the path is taken. Those of
 * the system for a directory that is missing, or not this user's to write.
 */
export async function refuseConfigFile(kind: FileKind, path: string): Promise<void> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw exists(kind, path);
  const directory = dirname(path);
  await access(directory, constants.W_OK).catch(throwFileError('write', directory));
}

/**
 * Creates a file, whole or not at all, with mode 0600. Errors: `exists` of its kind, which leaves the existing file
 * unchanged; those of the system.
 */
export async function createConfigFile(kind: FileKind, path: string, text: string): Promise<void> {
  const partial = partialPath(path);
  try {
    await writeDurably(partial, text, MODE);
    // Unlike a rename it never replaces an existing file.
    await link(partial, path);
  } catch (error) {
    throw hasErrorCode(error, 'EEXIST') ? exists(kind, path, error) : toFileError(error, 'write', path);
  } finally {
    await rm(partial, { force: true }).catch(() => {});
  }
  await syncDirectory(dirname(path));
}

function exists({ codes, toReplace }: FileKind, path: string, cause?: unknown): AppError {
  const message = `${path} is there already and was not touched; ${toReplace}`;
  return new AppError(codes.exists, message, { path }, { cause });
}

/** How a file is written back. */
export interface UpdateOptions {
  /** The version that the caller read; the file stays unchanged if it is another by now. */
  readonly etag?: string | undefined;
  /** Whether the text before is kept as `FILE.bak-TIME`. */
  readonly keepsBackup?: boolean;
  readonly clock?: Clock;
}

/** A file that was written back. */
export interface UpdatedFile extends ConfigText {
  /** Where the text before is kept; undefined where nothing was changed, or no backup was asked for. */
  readonly backup: string | undefined;
}

/**
 * Reads a file, and writes the text that `edit` returns: whole, with mode 0600, and through a link to its target.
 * Writers take turns by a lock beside it. Errors: those of reading and of `edit`; those of the system. `changed` of its
 * kind if the file differs from `etag`, changed in between, or another writer does not end.
 */
export async function updateConfigFile(
  kind: FileKind,
  path: string,
  edit: (text: string) => string,
  { etag, keepsBackup = false, clock = systemClock }: UpdateOptions = {},
): Promise<UpdatedFile> {
  const real = await realpath(path).catch(() => path);
  await using _ = await takeLock(kind, real, clock);
  const before = await readConfigText(kind, real);
  if (etag !== undefined && etag !== before.etag) throw changed(kind, path, 'since it was read');
  const text = edit(before.text);
  if (text === before.text) return { ...before, backup: undefined };
  const backup = keepsBackup ? await writeBackup(real, before.text, clock) : undefined;
  // Editors do not take the lock.
  if ((await readConfigText(kind, real)).etag !== before.etag) throw changed(kind, path, 'while it was being edited');
  await replaceFile(real, text, MODE).catch(throwFileError('write', real));
  return { text, etag: toEtag(Buffer.from(text)), backup };
}

function changed({ codes }: FileKind, path: string, when: string): AppError {
  const message = `${path} was changed by another writer ${when}; read it again, and repeat the change`;
  return new AppError(codes.changed, message, { path });
}

async function takeLock({ codes }: FileKind, path: string, clock: Clock): Promise<FileLock> {
  const lockPath = join(dirname(path), `.${basename(path)}.lock`);
  let before: string | undefined;
  for (let end = 0; ;) {
    const lock = await tryLock(lockPath, clock).catch(throwFileError('write', lockPath));
    if (lock !== null) return lock;
    const version = await versionOf(path);
    if (version !== before) end = clock.nowMs() + LOCK_WAIT_MS;
    before = version;
    if (clock.nowMs() >= end) {
      const message = `another process has been writing ${path} for ${LOCK_WAIT_MS / 1000} s; try again, or remove ${lockPath} if there is none`;
      throw new AppError(codes.changed, message, { path });
    }
    await sleep(LOCK_RETRY_MS, clock);
  }
}

/** Changes when a writer puts a text into place. */
async function versionOf(path: string): Promise<string> {
  const { ino, mtimeMs } = await stat(path).catch(() => ({ ino: 0, mtimeMs: 0 }));
  return `${ino} ${mtimeMs}`;
}

/** `FILE.bak-20271231T235959Z`, and a number behind it where that is taken. */
async function writeBackup(path: string, text: string, clock: Clock): Promise<string> {
  const time = new Date(clock.unixSeconds() * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
  for (let i = 1; ; i++) {
    const backup = `${path}.bak-${time}${i === 1 ? '' : `-${i}`}`;
    try {
      await writeDurably(backup, text, MODE);
      return backup;
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST') || i === MAX_BACKUPS_A_SECOND) throw toFileError(error, 'write', backup);
    }
  }
}
