import { ModelList } from '../../api/index.js';
import { toModelEntry } from '../model-entry.js';
import { jsonResponse } from '../respond.js';
import type { ApiRoute } from '../route.js';

/** `GET /v1/models`: the models that requests may name. */
export const models: ApiRoute = {
  method: 'GET',
  path: '/v1/models',
  summary: 'Lists the models.',
  response: ModelList,
  handle: async ({ context }) =>
    jsonResponse({ object: 'list', data: (await context.library.list()).map(toModelEntry) }),
};
