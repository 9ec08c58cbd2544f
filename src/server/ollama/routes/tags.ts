import { OllamaTags } from '../../../api/index.js';
import { jsonResponse } from '../../../endpoint/index.js';
import type { EngineRoute } from '../../engine-route.js';
import { listTagged } from '../model-details.js';

/** `GET /api/tags`: the models that requests may name, as Ollama lists them. */
export const tags: EngineRoute = {
  method: 'GET',
  path: '/api/tags',
  summary: 'Lists the models, as Ollama does.',
  response: OllamaTags,
  handle: async ({ context }) => jsonResponse({ models: await listTagged(context.library) }),
};
