import { checkOperator } from '../check-operator.js';
import type { GatewayRoute } from '../gateway-route.js';

/** `GET /metrics`: counts, gauges and histograms for Prometheus, from this machine or with the admin token. */
export const metrics: GatewayRoute = {
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics in the text format of Prometheus, for the operator.',
  before: ({ request, context }) => checkOperator(request, context.host),
  handle: async ({ context }) => ({
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: await context.host.metrics(),
  }),
};
