import { status as grpcStatus } from '@grpc/grpc-js';
import type { Clock } from '../../base/index.js';
import { createMetricsRegistry, heading, sample } from '../../endpoint/index.js';
import type { CutOff, EndedCall, GrpcServer, RefusedConnection } from '../../grpc/index.js';

/** Seconds. The buckets of `gen_ai.server.request.duration`. */
const BOUNDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/** Metrics of a gRPC server, under the names of go-grpc-prometheus. */
export interface GrpcMetrics {
  count(ended: EndedCall): void;
  countReset(): void;
  countCutOff(cut: CutOff): void;
  countRefusal(refusal: RefusedConnection): void;
  /** In the text format of Prometheus. */
  render(server: Pick<GrpcServer, 'calls' | 'numConnections' | 'numWaiting'>): string;
}

/** Counts calls. */
export function createGrpcMetrics(clock: Clock): GrpcMetrics {
  const registry = createMetricsRegistry();
  const handled = registry.counter('grpc_server_handled_total', 'Calls that ended, by method and code.');
  const duration = registry.histogram('grpc_server_handling_seconds', 'From the head of a call to its end.', BOUNDS);
  const tokens = registry.counter('troupe_tokens_total', 'Tokens of calls that ended well, by kind.');
  const resets = registry.counter('troupe_grpc_resets_total', 'Calls that clients reset shortly after their heads.');
  const cutOff = registry.counter('troupe_grpc_cut_off_total', 'Connections that were ended with ENHANCE_YOUR_CALM.');
  const refused = registry.counter('troupe_grpc_connections_refused_total', 'Connections that came to nothing.');
  return {
    countReset: () => resets.add({}, 1),
    countCutOff: ({ reason }) => cutOff.add({ reason }, 1),
    countRefusal: ({ kind }) => refused.add({ kind }, 1),
    count({ call, code }) {
      const labels = toLabels(call.method);
      handled.add({ ...labels, grpc_code: grpcStatus[code] });
      duration.observe(labels, (clock.nowMs() - call.receivedMs) / 1000);
      const { promptTokens = 0, completionTokens = 0 } = call.record;
      if (promptTokens > 0) tokens.add({ kind: 'prompt' }, promptTokens);
      if (completionTokens > 0) tokens.add({ kind: 'completion' }, completionTokens);
    },
    render: ({ calls, numConnections, numWaiting }) =>
      [
        registry.render(),
        heading('troupe_grpc_calls', 'gauge', 'Calls under way.'),
        sample('troupe_grpc_calls', {}, calls.size),
        heading('troupe_grpc_waiting_streams', 'gauge', 'Streams that wait for their turn to begin.'),
        sample('troupe_grpc_waiting_streams', {}, numWaiting),
        heading('troupe_grpc_connections', 'gauge', 'Open connections.'),
        sample('troupe_grpc_connections', {}, numConnections),
      ].join(''),
  };
}

/** Only existing methods pass the gate, so their number is that of the .proto files. */
function toLabels(path: string): { readonly grpc_service: string; readonly grpc_method: string } {
  const [, service = '', method = ''] = path.split('/');
  return { grpc_service: service, grpc_method: method };
}
