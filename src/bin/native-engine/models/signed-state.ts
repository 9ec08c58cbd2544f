import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredModel } from '../../../store/index.js';

/** Whether a model has a signature that holds; null for a file, which can have none. */
export async function signedState({ path, isFile }: StoredModel): Promise<boolean | null> {
  if (isFile) return null;
  return stat(join(path, 'signature.json')).then(
    (found) => found.isFile(),
    () => false,
  );
}
