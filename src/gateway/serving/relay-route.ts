import type { BytesBody, ErrorFormat } from '../../endpoint/index.js';
import type { RelayedApi } from '../../relay-serving/index.js';
import { authenticatePaid } from './authenticate.js';
import type { GatewayRoute } from './gateway-route.js';
import { relayRequest } from './relay-request.js';

/** Where an API is, and what its clients send and hear. */
interface RelayRouteOptions {
  readonly path: string;
  readonly errors: ErrorFormat;
  readonly body: BytesBody<Uint8Array>;
}

/** `POST` to the path of an API: its answer is a runtime's. */
export function relayRoute(api: RelayedApi, { path, errors, body }: RelayRouteOptions): GatewayRoute<Uint8Array> {
  return {
    method: 'POST',
    path,
    summary: api.summary,
    operation: api.operation,
    body,
    errors,
    before: authenticatePaid,
    handle: (call) => relayRequest(call, api),
  };
}
