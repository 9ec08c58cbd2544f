import type { ModelEntry } from '../api/index.js';
import type { ModelLibrary } from '../library/index.js';

const OWNER = 'troupe';

/** A model as clients of OpenAI read it. */
export function toModelEntry({ name, changedMs }: Awaited<ReturnType<ModelLibrary['find']>>): ModelEntry {
  return { id: name, object: 'model', created: Math.floor(changedMs / 1000), owned_by: OWNER };
}
