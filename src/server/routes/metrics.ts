import { renderServerMetrics } from '../engine-metrics.js';
import type { EngineRoute } from '../engine-route.js';

/** `GET /metrics`: counts, gauges and histograms for Prometheus. */
export const metrics: EngineRoute = {
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics in the text format of Prometheus.',
  handle: async ({ context }) => ({
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: context.metrics.render() + (await renderServerMetrics(context)),
  }),
};
