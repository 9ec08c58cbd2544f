import type { ModelEntry } from '../../api/index.js';
import { present } from '../../base/index.js';
import { mayUse } from '../../billing/index.js';
import type { HttpResponse } from '../../http/index.js';
import type { Catalog } from '../catalog/catalog-entry.js';
import { findPath, toOwnPath } from '../upstreams/find-path.js';
import { callerOf } from './authenticate.js';
import { hostedResponse } from './hosted-response.js';
import type { HostedCall } from './hosted-route.js';

/** `GET {path}/v1/models`: the models of a provider or a gateway that have a price and that the key may use. */
export async function listModels({ request, context, record }: HostedCall): Promise<HttpResponse> {
  const found = present(findPath(toOwnPath(request.path, context.basePaths), context), 'the path was found');
  const provider = found.kind === 'models' ? found.provider : found.target.provider;
  const { limits } = callerOf(record).key;
  const { data } = JSON.parse((await context.catalog.current()).body) as Catalog;
  const models = data
    .filter((entry) => entry.provider === provider && mayUse(limits, provider, entry.model))
    .map(({ model, created }): ModelEntry => ({ id: model, object: 'model', created, owned_by: provider }));
  return hostedResponse(context.serviceId, { object: 'list', data: models });
}
