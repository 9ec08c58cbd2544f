import type { EngineRoute } from '../engine-route.js';

/** `GET /`: what clients of Ollama look for. What it answers depends on `Accept`: a browser may be given a page. */
export const root: EngineRoute = {
  method: 'GET',
  path: '/',
  summary: 'Tells that the server runs.',
  handle: async () => ({
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', vary: 'accept' },
    body: 'Ollama is running',
  }),
};
