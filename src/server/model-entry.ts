import type { ModelEntry } from '../api/index.js';
import type { ModelLibrary } from '../models/index.js';

const OWNER = 'troupe';

/** A model as clients of OpenAI read it. */
export function toModelEntry(
  { id, name, changedMs }: Awaited<ReturnType<ModelLibrary['find']>>,
  library: Pick<ModelLibrary, 'contextLength'>,
): ModelEntry {
  const length = library.contextLength(id) ?? library.contextLength(name);
  return {
    id,
    object: 'model',
    created: Math.floor(changedMs / 1000),
    owned_by: OWNER,
    ...(length !== undefined && { max_model_len: length }),
  };
}
