import { ServerReady } from '../../../api/index.js';
import { AppError } from '../../../base/index.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';

/** `GET /ready`: whether requests would be answered now; while draining the listener itself refuses. */
export const ready: HostedRoute = {
  method: 'GET',
  path: '/ready',
  summary: 'Says whether the server answers requests now.',
  response: ServerReady,
  async handle({ context }) {
    const { isReady } = await context.state();
    if (!isReady)
      throw new AppError('database_unavailable', 'the database has not answered for a minute; try again later');
    return hostedResponse(context.serviceId, { status: 'ready' });
  },
};
