import { AppError } from '../../../base/index.js';
import type { BytesBody, ErrorFormat } from '../../../endpoint/index.js';
import { apiOfPath, passedThrough } from '../../../relay-serving/index.js';
import { authenticatePaid } from '../authenticate.js';
import type { GatewayRoute } from '../gateway-route.js';
import { relayRequest } from '../relay-request.js';

/**
 * The paths that the file lists. A client without a key cannot learn which paths exist. `known`: the methods of the
 * gateway's own paths, since a request by another method ends up here.
 */
export function createPassthroughRoute(
  known: ReadonlyMap<string, string>,
  body: BytesBody<Uint8Array>,
  errors: ErrorFormat,
): GatewayRoute {
  const route: GatewayRoute<Uint8Array> = {
    method: '*',
    path: '/{path...}',
    summary: passedThrough.summary,
    operation: passedThrough.operation,
    body,
    errors,
    async before(call) {
      await authenticatePaid(call);
      const { request, context } = call;
      if (context.table().passthrough.has(request.path)) return;
      const allow = known.get(`/${request.path.split('/').filter(Boolean).join('/')}`);
      if (allow !== undefined) {
        throw new AppError('method_not_allowed', `${request.method} is not allowed here; allowed are ${allow}`, {
          allow,
        });
      }
      throw new AppError(
        'not_found_error',
        'there is nothing under this path; GET /openapi.json lists the paths, and passthrough of gateway.yaml adds some',
      );
    },
    handle: (call) => relayRequest(call, apiOfPath(call.request.path), call.request.path),
  };
  return route;
}
