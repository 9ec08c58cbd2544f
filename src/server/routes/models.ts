import { ModelList } from '../../api/index.js';
import { jsonResponse } from '../../endpoint/index.js';
import type { EngineRoute } from '../engine-route.js';
import { toModelEntry } from '../model-entry.js';

/** `GET /v1/models`: the models that requests may name. */
export const models: EngineRoute = {
  method: 'GET',
  path: '/v1/models',
  summary: 'Lists the models.',
  response: ModelList,
  handle: async ({ context: { library } }) =>
    jsonResponse({ object: 'list', data: (await library.list()).map((model) => toModelEntry(model, library)) }),
};
