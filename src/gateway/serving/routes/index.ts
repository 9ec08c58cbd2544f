import type { KindOf } from '../../../base/index.js';
import type { ErrorFormat } from '../../../endpoint/index.js';
import { apiOfPath, createApiErrors, limitedBody, relayedApis, type RelayedApi } from '../../../relay-serving/index.js';
import { withGatewayId } from '../gateway-response.js';
import type { GatewayRoute } from '../gateway-route.js';
import { relayRoute } from '../relay-route.js';
import { health } from './health.js';
import { metrics } from './metrics.js';
import { model } from './model.js';
import { models } from './models.js';
import { createPassthroughRoute } from './passthrough.js';
import { ready } from './ready.js';

/** Endpoints that are not a relayed API. */
const own = { models, model, health, ready, metrics } as const satisfies Record<string, GatewayRoute>;

/** Every endpoint of the gateway. The route of the file's paths is last: it takes all other paths. */
export function createRoutes(gatewayId: string, kindOf: KindOf, maxBodyBytes: () => number): readonly GatewayRoute[] {
  const body = limitedBody(maxBodyBytes);
  const errorsOf = (words: RelayedApi['words']): ErrorFormat =>
    withGatewayId(createApiErrors(words, kindOf), gatewayId);
  const relayed = Object.values<RelayedApi>(relayedApis).map((api) =>
    relayRoute(api, { errors: errorsOf(api.words), body }),
  );
  const passed: ErrorFormat = {
    schema: errorsOf('openai').schema,
    toErrorResponse: (error, request) => errorsOf(apiOfPath(request?.path ?? '').words).toErrorResponse(error, request),
  };
  const named = [...relayed, ...Object.values<GatewayRoute>(own)];
  const methods = named.map(({ path, method }) => [path, method === 'GET' ? 'GET, HEAD' : method] as const);
  return [...named, createPassthroughRoute(new Map(methods), body, passed)];
}
