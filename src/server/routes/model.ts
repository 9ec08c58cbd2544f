import { ModelEntry } from '../../api/index.js';
import { toModelEntry } from '../model-entry.js';
import { jsonResponse } from '../respond.js';
import type { ApiRoute } from '../route.js';

/** `GET /v1/models/{id}`: one of them. Ids may have slashes, as they are or as %2F. */
export const model: ApiRoute = {
  method: 'GET',
  path: '/v1/models/{id}',
  summary: 'Tells of one model.',
  response: ModelEntry,
  handle: async ({ request, context }) =>
    jsonResponse(toModelEntry(await context.library.find(request.params['id'] ?? ''))),
};
