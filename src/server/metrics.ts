import { createMetricsRegistry, type Labels } from '../endpoint/index.js';
import type { EngineRecord } from './engine-record.js';

/** Seconds. Source: OpenTelemetry's conventions for generative AI, `gen_ai.server.request.duration`. */
const DURATION_BOUNDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** Seconds. Source: the same, `gen_ai.server.time_to_first_token`. */
const FIRST_TOKEN_BOUNDS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];
/** Seconds. Source: the same, `gen_ai.server.time_per_output_token`; three below, for models that are as small as ours. */
const TOKEN_BOUNDS = [0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5];
/** Tokens: powers of four. Source: the same, `gen_ai.client.token.usage`. */
const USAGE_BOUNDS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** Models that have labels of their own: more are counted together. */
const MAX_MODELS = 64;

/** Metrics of a server, under OpenTelemetry's names with `_` for their dots. */
export interface Metrics {
  /** Records a finished request. `operation`: for requests that a model answers. */
  count(record: EngineRecord, status: number, endMs: number, operation: string | undefined): void;
  /** In the text format of Prometheus. */
  render(): string;
}

/** Counts requests. */
export function createMetrics(): Metrics {
  const registry = createMetricsRegistry();
  const requests = registry.counter('troupe_http_requests_total', 'Requests answered, by route and status.');
  const duration = registry.histogram(
    'gen_ai_server_request_duration_seconds',
    'From the request to the end of its answer.',
    DURATION_BOUNDS,
  );
  const firstToken = registry.histogram(
    'gen_ai_server_time_to_first_token_seconds',
    'From the request to the first token of a streamed answer.',
    FIRST_TOKEN_BOUNDS,
  );
  const perToken = registry.histogram(
    'gen_ai_server_time_per_output_token_seconds',
    'Between tokens of a streamed answer, after the first.',
    TOKEN_BOUNDS,
  );
  const usage = registry.histogram('gen_ai_client_token_usage', 'Tokens of requests that ended well.', USAGE_BOUNDS);
  const models = new Set<string>();

  const modelLabel = (model: string | undefined): string => {
    if (model === undefined) return 'unknown';
    if (models.size < MAX_MODELS) models.add(model);
    return models.has(model) ? model : 'other';
  };

  return {
    count(record, status, endMs, operation) {
      const { route = 'none', receivedMs, firstTokenMs, promptTokens, completionTokens, error } = record;
      requests.add({ route, status: String(status) });
      if (operation === undefined) return;
      const labels: Labels = {
        gen_ai_operation_name: operation,
        gen_ai_provider_name: 'troupe',
        gen_ai_request_model: modelLabel(record.model),
      };
      duration.observe(
        { ...labels, ...(error !== undefined && { error_type: error.code }) },
        (endMs - receivedMs) / 1000,
      );
      if (firstTokenMs !== undefined) firstToken.observe(labels, (firstTokenMs - receivedMs) / 1000);
      if (promptTokens === undefined || completionTokens === undefined) return;
      usage.observe({ ...labels, gen_ai_token_type: 'input' }, promptTokens);
      usage.observe({ ...labels, gen_ai_token_type: 'output' }, completionTokens);
      if (firstTokenMs !== undefined && completionTokens > 1) {
        perToken.observe(labels, (endMs - firstTokenMs) / 1000 / (completionTokens - 1));
      }
    },
    render: registry.render,
  };
}
