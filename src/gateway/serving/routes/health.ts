import { isOperator } from '../check-operator.js';
import { gatewayResponse } from '../gateway-response.js';
import type { GatewayContext, GatewayRoute } from '../gateway-route.js';
import { GatewayHealth, type GatewayState } from '../gateway-state.js';

/** `GET /health`: 200 once all has started and for as long as the process answers; for its operator with runtimes, models and the tree of actors. */
export const health: GatewayRoute = {
  method: 'GET',
  path: '/health',
  summary: 'Shows that the gateway answers; its operator also gets the state of its parts.',
  response: GatewayHealth,
  async handle({ request, context }) {
    const state = await context.host.state();
    const isWhole = await isOperator(request, context.host);
    return gatewayResponse(context, isWhole ? toWhole(context, state) : { status: 'ok' });
  },
};

function toWhole({ table, build }: GatewayContext, state: GatewayState): GatewayHealth {
  const { uptimeMs, runtimes, tree, refusedConfig } = state;
  return {
    status: 'ok',
    uptime_ms: Math.round(uptimeMs),
    version: build,
    config: { in_use: refusedConfig === undefined, refused: refusedConfig ?? null },
    runtimes: runtimes.map(({ id, kind, isHealthy, trouble = null, reason = null }) => {
      return { id, kind, healthy: isHealthy, trouble, reason };
    }),
    models: Array.from(table().models.values(), ({ id, group }) => {
      const targets = group.states().map(({ id: target, running, breaker, isEjected, isHealthy }) => {
        return { id: target, running, breaker, ejected: isEjected, healthy: isHealthy };
      });
      return { id, targets };
    }),
    tree,
  };
}
