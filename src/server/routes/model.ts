import { ModelEntry } from '../../api/index.js';
import { jsonResponse } from '../../endpoint/index.js';
import type { EngineRoute } from '../engine-route.js';
import { toModelEntry } from '../model-entry.js';

/** `GET /v1/models/{id}`: one of them. Ids may have slashes, as they are or as %2F. */
export const model: EngineRoute = {
  method: 'GET',
  path: '/v1/models/{id...}',
  summary: 'Tells of one model.',
  response: ModelEntry,
  handle: async ({ params, context: { library } }) =>
    jsonResponse(toModelEntry(await library.find(params['id'] ?? ''), library)),
};
