import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { AppError, codeOf } from '../base/index.js';

/**
 * Opens `name` in a checkpoint directory for reading; null when there is none. `name` is a plain file name. A link is
 * followed only inside the directory, or into `blobs` of the Hugging Face cache that the directory is a snapshot of.
 * Errors: `checkpoint_not_found` (no directory), `checkpoint_invalid` (a name with a path, a link to elsewhere, no
 * regular file).
 */
export async function openCheckpointFile(directory: string, name: string): Promise<FileHandle | null> {
  // Backslashes and colons are paths on Windows.
  if (!/^[^/\\:\0]+$/.test(name) || name === '.' || name === '..') {
    throw refuse(name, 'is not a plain file name');
  }
  const root = await resolveDirectory(directory);
  let resolved: string;
  try {
    resolved = await realpath(join(root, name));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  if (!allowedRoots(root).some((allowed) => resolved.startsWith(allowed + sep))) {
    throw refuse(name, 'is a link that leaves the checkpoint directory');
  }
  // Not to hang on a pipe that was put there: O_NONBLOCK opens it at once, and the check below refuses it.
  const file = await open(resolved, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
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
export async function readCheckpointFile(directory: string, name: string, limitBytes: number): Promise<Buffer | null> {
  const file = await openCheckpointFile(directory, name);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    if (size > limitBytes) throw refuse(name, `has ${size} bytes; the limit is ${limitBytes}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function resolveDirectory(directory: string): Promise<string> {
  try {
    return await realpath(directory);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new AppError('checkpoint_not_found', `there is no directory ${directory}`, { directory });
  }
}

function allowedRoots(root: string): string[] {
  // models--org--name/snapshots/<commit>/file → models--org--name/blobs/<etag>
  const snapshots = dirname(root);
  if (basename(snapshots) !== 'snapshots') return [root];
  return [root, join(dirname(snapshots), 'blobs')];
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
}

function refuse(file: string, why: string): AppError {
  return new AppError('checkpoint_invalid', `checkpoint file ${JSON.stringify(file)} ${why}`, { file });
}
