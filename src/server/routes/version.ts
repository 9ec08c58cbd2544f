import { ENGINE_NAME, ServerVersion } from '../../api/index.js';
import { jsonResponse } from '../../endpoint/index.js';
import type { EngineRoute } from '../engine-route.js';

/** The version that Ollama's clients check: several refuse versions below 0.6.4. It is the API's, not the package's. */
const API_VERSION = '1.0.0';

/** `GET /api/version`: the version of the API. */
export const version: EngineRoute = {
  method: 'GET',
  path: '/api/version',
  summary: 'Names the engine and its version.',
  response: ServerVersion,
  handle: async ({ context: { build } }) => jsonResponse({ version: API_VERSION, engine: ENGINE_NAME, build }),
};
