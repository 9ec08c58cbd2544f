import { createApiErrors, relayedApis, type RelayedApi } from '../../../relay-serving/index.js';
import { authenticate } from '../authenticate.js';
import { checkBusy } from '../check-busy.js';
import { chooseNamed } from '../choose-named.js';
import { withServiceId } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';
import { relayPaid } from '../relay-paid.js';
import type { RelayRouteOptions } from './relay.js';

/** The path of each API that the relay knows, for every provider and gateway: the body names `provider/model`. */
export function createPlainRoutes(
  options: Pick<RelayRouteOptions, 'body' | 'kindOf' | 'serviceId'>,
): readonly HostedRoute<Uint8Array>[] {
  return Object.values<RelayedApi>(relayedApis).map((api) => plainRoute(api, options));
}

function plainRoute(
  api: RelayedApi,
  { body, kindOf, serviceId }: Pick<RelayRouteOptions, 'body' | 'kindOf' | 'serviceId'>,
): HostedRoute<Uint8Array> {
  return {
    method: 'POST',
    path: api.path,
    summary: `${api.operation}: relays to the provider or gateway that model names, as provider/model.`,
    operation: api.operation,
    body,
    errors: withServiceId(createApiErrors(api.words, kindOf), serviceId),
    async before(call) {
      await authenticate(call);
      checkBusy(call.context);
    },
    handle: (call) => relayPaid(call, ({ model }, caller) => chooseNamed(model, api, caller, call.context)),
  };
}
