import { ServerReady } from '../../../api/index.js';
import { AppError } from '../../../base/index.js';
import { gatewayResponse } from '../gateway-response.js';
import type { GatewayRoute } from '../gateway-route.js';

/** `GET /ready`: whether requests would be answered now; while draining the listener itself refuses. */
export const ready: GatewayRoute = {
  method: 'GET',
  path: '/ready',
  summary: 'Says whether the server answers requests now.',
  response: ServerReady,
  async handle({ context }) {
    const { runtimes } = await context.host.state();
    if (runtimes.length > 0 && !runtimes.some(({ isHealthy }) => isHealthy)) {
      throw new AppError('upstream_busy', 'no runtime can be reached; GET /health shows its operator the cause');
    }
    return gatewayResponse(context, { status: 'ready' });
  },
};
