import { basename, dirname } from 'node:path';
import { lstat, rm } from 'node:fs/promises';
import { throwFileError, waitForLock } from '../base/index.js';
import { listParts } from '../weights/index.js';
import type { StoredModel } from './models-directory.js';
import { openStaging, placeLock, takeAway } from './staging.js';

/**
 * Removes a model: the artifact's directory, or the file with its parts; of a link only the link. It disappears at
 * once, and its files after it. Errors: those of writing files.
 */
export async function removeModel(modelsDir: string, model: StoredModel): Promise<void> {
  await using _ = await waitForLock(placeLock(modelsDir, model.name)).catch(throwFileError('write', modelsDir));
  await removeLocked(modelsDir, model);
}

/** The same for a caller that holds the lock of the model's path. */
export async function removeLocked(modelsDir: string, { path, isFile }: StoredModel): Promise<void> {
  const isLink = (await lstat(path).catch(throwFileError('write', path))).isSymbolicLink();
  if (isLink) return rm(path).catch(throwFileError('write', path));
  if (isFile) {
    // The first part represents all: without it none of the others is listed.
    for (const part of await listParts(path)) {
      if (dirname(part) === dirname(path)) await rm(part, { force: true }).catch(throwFileError('write', part));
    }
    return;
  }
  await using staging = await openStaging(modelsDir);
  await takeAway(staging, modelsDir, basename(path));
}
