import { ServerHealth } from '../../api/index.js';
import { jsonResponse } from '../../endpoint/index.js';
import type { EngineRoute } from '../engine-route.js';

/** `GET /health`: 200 for as long as the process answers, with the live tree of actors. */
export const health: EngineRoute = {
  method: 'GET',
  path: '/health',
  summary: 'Shows that the process answers, and its tree of actors.',
  response: ServerHealth,
  handle: async ({ context: { engine, clock, startedMs } }) =>
    jsonResponse({
      status: 'ok',
      uptime_ms: Math.round(clock.nowMs() - startedMs),
      kernel: { variant: engine.kernel, notes: engine.kernelNotes },
      tree: engine.tree(),
    }),
};
