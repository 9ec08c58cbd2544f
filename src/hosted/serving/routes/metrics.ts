import type { HostedRoute } from '../hosted-route.js';
import { checkOperator } from '../check-operator.js';

/** `GET /metrics`: counts, gauges and histograms for Prometheus. */
export const metrics: HostedRoute = {
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics in the text format of Prometheus, for the operator.',
  before: ({ request, context }) => checkOperator(request, context),
  handle: async ({ context }) => ({
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: await context.metrics(),
  }),
};
