import type { BytesBody, ErrorFormat } from '../../endpoint/index.js';
import type { RelayedApi } from '../../relay-serving/index.js';
import { authenticatePaid } from './authenticate.js';
import type { GatewayRoute } from './gateway-route.js';
import { relayRequest } from './relay-request.js';

/** How the clients of an API send bodies and get errors. */
interface RelayRouteOptions {
  readonly errors: ErrorFormat;
  readonly body: BytesBody<Uint8Array>;
}

/** `POST` to the path of an API: its answer is a runtime's. */
export function relayRoute(api: RelayedApi, { errors, body }: RelayRouteOptions): GatewayRoute<Uint8Array> {
  return {
    method: 'POST',
    path: api.path,
    summary: api.summary,
    operation: api.operation,
    body,
    errors,
    before: authenticatePaid,
    handle: (call) => relayRequest(call, api, api.path),
  };
}
