import { constants } from 'node:fs';
import { open, readdir, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { AppError, hasErrorCode, throwFileError } from '../base/index.js';

/**
 * Opens `name` in a checkpoint directory, or in its `folder`, for reading; null when there is none. `name` is a plain
 * file name. If it is missing, a name in other letter case is taken, since copies from other systems may have it. A
 * link is followed only inside the directory, or into `blobs` of the Hugging Face cache that the directory is a
 * snapshot of.
 * Errors: `checkpoint_not_found` (no directory), `checkpoint_invalid` (a name with a path, a link to elsewhere, no
 * regular file), `access_denied` and the other errors of reading files.
 */
export async function openCheckpointFile(directory: string, name: string, folder = ''): Promise<FileHandle | null> {
  // Backslashes and colons are paths on Windows.
  if (!/^[^/\\:\0]+$/.test(name) || name === '.' || name === '..') {
    throw refuse(name, 'is not a plain file name');
  }
  const root = await resolveDirectory(directory);
  const place = join(root, folder);
  const resolved = (await resolveFile(place, name)) ?? (await resolveOtherSpelling(place, name));
  if (resolved === null) return null;
  if (!allowedRoots(root).some((allowed) => resolved.startsWith(allowed + sep))) {
    throw refuse(name, 'is a link that leaves the checkpoint directory');
  }
  // Not to hang on a pipe that was put there: O_NONBLOCK opens it at once, and the check below refuses it.
  const file = await open(resolved, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    throwFileError('read', resolved),
  );
  try {
    if (!(await file.stat()).isFile()) throw refuse(name, 'is not a regular file');
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/**
 * The bytes of `name` in a checkpoint directory, null when there is no such file.
 * Errors: as `openCheckpointFile`; `checkpoint_invalid` above `limitBytes`.
 */
export async function readCheckpointFile(
  directory: string,
  name: string,
  limitBytes: number,
  folder?: string,
): Promise<Buffer | null> {
  const file = await openCheckpointFile(directory, name, folder);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    if (size > limitBytes) throw refuse(name, `has ${size} bytes; the limit is ${limitBytes}`);
    return await file.readFile().catch(throwFileError('read', join(directory, name)));
  } finally {
    await file.close();
  }
}

/** The names of what lies in `folder` of a checkpoint directory, in order; none when there is no such folder. */
export async function listCheckpointFolder(directory: string, folder: string): Promise<string[]> {
  const path = join(directory, folder);
  return ((await readdir(path).catch(nullIfMissing(path))) ?? []).toSorted();
}

async function resolveDirectory(directory: string): Promise<string> {
  const resolved = await realpath(directory).catch(nullIfMissing(directory));
  if (resolved !== null) return resolved;
  throw new AppError('checkpoint_not_found', `there is no directory ${directory}`, { directory });
}

async function resolveFile(root: string, name: string): Promise<string | null> {
  return realpath(join(root, name)).catch(nullIfMissing(join(root, name)));
}

async function resolveOtherSpelling(root: string, name: string): Promise<string | null> {
  const names = await readdir(root).catch(nullIfMissing(root));
  const other = names?.toSorted().find((each) => each.toLowerCase() === name.toLowerCase());
  return other === undefined ? null : resolveFile(root, other);
}

function nullIfMissing(path: string): (error: unknown) => null {
  return (error) => (hasErrorCode(error, 'ENOENT', 'ENOTDIR') ? null : throwFileError('read', path)(error));
}

function allowedRoots(root: string): string[] {
  // models--org--name/snapshots/<commit>/file → models--org--name/blobs/<etag>
  const snapshots = dirname(root);
  if (basename(snapshots) !== 'snapshots') return [root];
  return [root, join(dirname(snapshots), 'blobs')];
}

function refuse(file: string, why: string): AppError {
  return new AppError('checkpoint_invalid', `checkpoint file ${JSON.stringify(file)} ${why}`, { file });
}
