import { ServerVersion } from '../../api/index.js';
import { jsonResponse } from '../respond.js';
import type { ApiRoute } from '../route.js';

/** What clients of Ollama compare: several refuse versions below 0.6.4. It is the API's, not the package's. */
const API_VERSION = '1.0.0';
/** By which a gateway tells this engine from others. */
const ENGINE = 'troupe';

/** `GET /api/version`: who answers. */
export const version: ApiRoute = {
  method: 'GET',
  path: '/api/version',
  summary: 'Tells which engine this is.',
  response: ServerVersion,
  handle: async ({ context: { build } }) => jsonResponse({ version: API_VERSION, engine: ENGINE, build }),
};
