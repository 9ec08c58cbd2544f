import { AppError } from '../../../base/index.js';
import { DEMO, describeArtifact, type Store, type StoredModel } from '../../../store/index.js';
import { demoDirectory, notFound } from '../../../library/index.js';

/** The model of the store, or the demo, that `id` names. Errors: `artifact_not_found`, with what may have been meant. */
export async function findForUser(store: Store, id: string): Promise<StoredModel> {
  const isDemo = id === DEMO || id === `${DEMO}:latest`;
  const found = isDemo ? await describeArtifact(DEMO, demoDirectory()) : await store.find(id);
  if (found !== undefined) return found;
  throw await notFound(id, store.directory, 'name');
}

/** Refuses what would change the demo. Errors: `invalid_value`. */
export function refuseDemo({ name }: StoredModel, action: string): void {
  if (name !== DEMO) return;
  const message = `${DEMO} comes with the package and cannot be ${action}`;
  throw new AppError('invalid_value', message, { field: 'model' });
}
