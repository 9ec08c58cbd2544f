import { ServerReady } from '../../api/index.js';
import { AppError } from '../../base/index.js';
import { jsonResponse } from '../../endpoint/index.js';
import type { EngineRoute, ServedEngine } from '../engine-route.js';

/**
 * `GET /ready`: whether a request would be answered now. 503 while the first model loads, and when a model has died more
 * often than its restart intensity allows; while draining the listener itself refuses.
 */
export const ready: EngineRoute = {
  method: 'GET',
  path: '/ready',
  summary: 'Says whether the server answers requests now.',
  response: ServerReady,
  async handle({ context: { engine } }) {
    refuseUnready(engine);
    return jsonResponse({ status: 'ready' });
  },
};

/** Errors: `engine_restarted`, `model_loading`. */
function refuseUnready(engine: ServedEngine): void {
  if (!engine.ready) {
    throw new AppError('engine_restarted', 'a model died too often and was unloaded; its next request loads it again');
  }
  const states = engine.models().map(({ state }) => state);
  if (states.includes('loading') && !states.includes('ready')) {
    throw new AppError('model_loading', 'the first model is being loaded; try again later');
  }
}
