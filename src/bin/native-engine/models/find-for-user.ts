import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { AppError, hasErrorCode, throwFileError } from '../../../base/index.js';
import { DEMO, describeArtifact, type Store, type StoredModel } from '../../../store/index.js';
import { demoDirectory, notFound } from '../../../library/index.js';

/** The model of the store, or the demo, that `id` names. Errors: `artifact_not_found`, with what may have been meant. */
export async function findForUser(store: Store, id: string): Promise<StoredModel> {
  const isDemo = id === DEMO || id === `${DEMO}:latest`;
  const found = isDemo ? await describeArtifact(DEMO, demoDirectory()) : await store.find(id);
  if (found !== undefined) return found;
  throw await notFound(id, store.directory, 'name');
}

/**
 * The same, or else the artifact in the directory or the file at the path `id`. Errors: those, `artifact_not_found` also for a
 * directory that is no artifact; those of reading files.
 */
export async function findToShow(store: Store, id: string): Promise<StoredModel> {
  const isDemo = id === DEMO || id === `${DEMO}:latest`;
  const named = isDemo ? undefined : await store.find(id);
  if (named !== undefined) return named;
  const found = isDemo ? undefined : await stat(id).catch(ifThere(id));
  if (found === undefined) return findForUser(store, id);
  const path = resolve(id);
  if (!found.isDirectory()) return { name: basename(path), path, isFile: true, changedMs: found.mtimeMs };
  const artifact = await describeArtifact(basename(path), path);
  if (artifact !== undefined) return artifact;
  const message = `the directory ${path} has no manifest.json, so it is no artifact; native-engine convert makes one of a checkpoint`;
  throw new AppError('artifact_not_found', message, { path });
}

/** Undefined where nothing is at the path. Errors: those of reading files. */
function ifThere(path: string): (error: unknown) => undefined {
  return (error) => {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return undefined;
    return throwFileError('read', path)(error);
  };
}

/** Refuses what would change the demo. Errors: `invalid_value`. */
export function refuseDemo({ name }: StoredModel, action: string): void {
  if (name !== DEMO) return;
  const message = `${DEMO} comes with the package and cannot be ${action}`;
  throw new AppError('invalid_value', message, { field: 'model' });
}
