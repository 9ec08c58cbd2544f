import { AppError, type KindOf } from '../../../base/index.js';
import type { BytesBody, ErrorFormat, HeadCall } from '../../../endpoint/index.js';
import { createApiErrors, passedThrough, type RelayedApi } from '../../../relay-serving/index.js';
import { findPath, toOwnPath, type Paths } from '../../upstreams/find-path.js';
import { authenticate } from '../authenticate.js';
import { withServiceId } from '../hosted-response.js';
import type { HostedContext, HostedRecord, HostedRoute } from '../hosted-route.js';
import { answerModels } from '../answer-models.js';
import { checkBusy } from '../check-busy.js';
import { chooseModel } from '../choose-model.js';
import { relayPaid } from '../relay-paid.js';

/** Options of the route of all providers and gateways. */
export interface RelayRouteOptions extends Paths {
  readonly basePaths: readonly string[];
  readonly kindOf: KindOf;
  readonly serviceId: string;
  readonly body: BytesBody<Uint8Array>;
  /** The methods of the service's own paths, since a request by another method finds its way here. */
  readonly known: ReadonlyMap<string, string>;
}

/** The paths of providers and gateways. A client without a key cannot learn which of them exist. */
export function createRelayRoute(options: RelayRouteOptions): HostedRoute {
  const { known } = options;
  const route: HostedRoute<Uint8Array> = {
    method: '*',
    path: '/{path...}',
    summary: 'Relays to a provider or a connected gateway.',
    operation: passedThrough.operation,
    body: options.body,
    errors: errorsOfPath(options),
    async before(call) {
      await authenticate(call);
      take(call, known);
    },
    async handle(call) {
      const { target } = call.record;
      if (target === undefined) return answerModels(call);
      return relayPaid(call, async ({ model }, caller) => {
        return { target, chosen: await chooseModel(model, target, caller, call.context) };
      });
    },
  };
  return route;
}

/** Errors: `not_found_error`, `method_not_allowed`, `node_busy`. */
function take(
  { request, context, record }: HeadCall<HostedContext, HostedRecord>,
  known: ReadonlyMap<string, string>,
): void {
  const own = toOwnPath(request.path, context.basePaths);
  const found = findPath(own, context);
  const allow = found === undefined ? known.get(`/${own}`) : found.kind === 'relay' ? 'POST' : 'GET, HEAD';
  if (allow !== undefined && !allow.split(', ').includes(request.method)) {
    const message = `${request.method} is not allowed here; allowed are ${allow}`;
    throw new AppError('method_not_allowed', message, { allow });
  }
  if (found === undefined) {
    const message = 'there is nothing under this path; GET /v1/catalog lists the models with their base_url';
    throw new AppError('not_found_error', message);
  }
  if (found.kind === 'models') return;
  checkBusy(context);
  record.target = found.target;
}

/** Errors in the words of the API of each path. */
function errorsOfPath(options: RelayRouteOptions): ErrorFormat {
  const { basePaths, kindOf, serviceId } = options;
  const errorsOf = (words: RelayedApi['words']): ErrorFormat =>
    withServiceId(createApiErrors(words, kindOf), serviceId);
  return {
    schema: errorsOf('openai').schema,
    toErrorResponse: (error, request) => {
      const found = request && findPath(toOwnPath(request.path, basePaths), options);
      const words = found?.kind === 'relay' ? found.target.api.words : 'openai';
      return errorsOf(words).toErrorResponse(error, request);
    },
  };
}
