import { hostedResponse } from '../hosted-response.js';
import type { HostedContext, HostedRoute } from '../hosted-route.js';
import { HostedHealth, type HostedState } from '../hosted-state.js';
import { isOperator } from '../check-operator.js';

/**
 * `GET /health`: 200 as long as the process answers, whatever the state of its database. The operator also gets the
 * parts of the node.
 */
export const health: HostedRoute = {
  method: 'GET',
  path: '/health',
  summary: 'Shows that the service answers; its operator also gets the state of its parts.',
  response: HostedHealth,
  handle: async ({ request, context }) =>
    hostedResponse(
      context.serviceId,
      isOperator(request, context) ? toWhole(context, await context.state()) : { status: 'ok' },
    ),
};

function toWhole({ upstreams, build }: HostedContext, state: HostedState): HostedHealth {
  const { uptimeMs, isReady, outboxDepth, providers, gateways, staleGateways, refusedConfig, tree } = state;
  return {
    status: 'ok',
    uptime_ms: Math.round(uptimeMs),
    version: build,
    config: { in_use: refusedConfig === undefined, refused: refusedConfig ?? null },
    database: { ready: isReady, outbox_depth: outboxDepth },
    providers,
    gateways: { connected: gateways, stale: staleGateways },
    upstreams: upstreams.states().map(({ id, running, queued, breaker, closedModels, failingModels }) => {
      return { id, running, queued, breaker, closed_models: closedModels, failing_models: failingModels };
    }),
    tree,
  };
}
