import { resolve } from 'node:path';
import { AppError } from '../../../base/index.js';
import { lookUp, notFound } from '../../../models/index.js';
import { DEMO, describeArtifact, type Store, type StoredModel } from '../../../store/index.js';

/** The model of the store, or the demo, that `id` names. Errors: `artifact_not_found`, with what may have been meant. */
export async function findForUser(store: Store, id: string): Promise<StoredModel> {
  const found = await lookUp(id, store.directory, { means: ['name'] });
  if (found !== undefined) return found;
  throw await notFound(id, store.directory, 'name');
}

/**
 * The same, or else the artifact in the directory or the file at the path `id`. Errors: those, `artifact_not_found` also for a
 * directory that is no artifact; those of reading files.
 */
export async function findToShow(store: Store, id: string): Promise<StoredModel> {
  const found = await lookUp(id, store.directory, { means: ['name', 'path'] });
  if (found === undefined) throw await notFound(id, store.directory, 'name');
  const path = resolve(found.path);
  if (found.isFile) return { ...found, path };
  const artifact = await describeArtifact(found.name, path);
  if (artifact !== undefined) return artifact;
  const message = `the directory ${path} has no manifest.json, so it is no artifact; native-engine convert makes one of a checkpoint`;
  throw new AppError('artifact_not_found', message, { path });
}

/** Refuses what would change the demo. Errors: `invalid_value`. */
export function refuseDemo({ name }: StoredModel, action: string): void {
  if (name !== DEMO) return;
  const message = `${DEMO} comes with the package and cannot be ${action}`;
  throw new AppError('invalid_value', message, { field: 'model' });
}
