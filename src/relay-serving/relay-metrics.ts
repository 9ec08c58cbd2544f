import { createMetricsRegistry, type Labels } from '../endpoint/index.js';
import type { RelayRecord } from './relay-record.js';

/** Seconds. Source: OpenTelemetry's conventions for generative AI, `gen_ai.client.operation.duration`. */
const DURATION_BOUNDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** Seconds. Source: the same, `gen_ai.server.time_to_first_token`. */
const FIRST_BYTE_BOUNDS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/** The counters of a relay. Labels are names in its file, and codes: never a key, never text of a request. */
export interface RelayMetrics<Notes extends RelayRecord> {
  /** Counts a finished request. `operation`: of requests that an upstream answers. */
  count(record: Notes, status: number, endMs: number, operation: string | undefined): void;
  /** In the text format of Prometheus. */
  render(): string;
}

/** Options of the metrics. */
export interface RelayMetricsOptions<Notes extends RelayRecord> {
  /** The prefix of names, such as `troupe_gateway`. */
  readonly prefix: string;
  /** The label that names an upstream. */
  readonly label: string;
  /** The name of the upstream of a request; undefined: it reached none. */
  readonly upstreamOf: (record: Notes) => string | undefined;
}

/** Counts requests. */
export function createRelayMetrics<Notes extends RelayRecord>({
  prefix,
  label,
  upstreamOf,
}: RelayMetricsOptions<Notes>): RelayMetrics<Notes> {
  const registry = createMetricsRegistry();
  const requests = registry.counter(`${prefix}_requests_total`, 'Requests answered, by route and status.');
  const errors = registry.counter(`${prefix}_errors_total`, 'Requests that failed, by code.');
  const tokens = registry.counter(`${prefix}_tokens_total`, `Tokens by model, ${label} and type.`);
  const retries = registry.counter(`${prefix}_retries_total`, `Requests that were sent to a ${label} again.`);
  const duration = registry.histogram(
    'gen_ai_client_operation_duration_seconds',
    'From the request to the end of its answer.',
    DURATION_BOUNDS,
  );
  const firstByte = registry.histogram(
    'gen_ai_client_operation_time_to_first_chunk_seconds',
    'From the request to the first byte of its answer.',
    FIRST_BYTE_BOUNDS,
  );
  return {
    count(record, status, endMs, operation) {
      const { route = 'none', receivedMs, firstByteMs, error, model = 'unknown' } = record;
      requests.add({ route, status: String(status) });
      if (error !== undefined) errors.add({ code: error.code });
      if (operation === undefined || record.model === undefined) return;
      const labels: Labels = {
        gen_ai_operation_name: operation,
        gen_ai_request_model: model,
        [label]: upstreamOf(record) ?? 'none',
      };
      duration.observe(labels, (endMs - receivedMs) / 1000);
      if (firstByteMs !== undefined) firstByte.observe(labels, (firstByteMs - receivedMs) / 1000);
      if ((record.attempts ?? 1) > 1) retries.add({ gen_ai_request_model: model }, (record.attempts ?? 1) - 1);
      const counts = { input: record.promptTokens, output: record.completionTokens };
      for (const [type, count] of Object.entries(counts)) {
        if (count !== undefined && count > 0) tokens.add({ gen_ai_token_type: type, ...labels }, count);
      }
    },
    render: registry.render,
  };
}
