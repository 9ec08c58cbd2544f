import { AppError, present } from '../../base/index.js';
import type { HttpResponse } from '../../http/index.js';
import { findPath, toOwnPath } from '../upstreams/find-path.js';
import { callerOf } from './authenticate.js';
import { hostedResponse } from './hosted-response.js';
import type { HostedCall } from './hosted-route.js';
import { toHostedModelEntry, usableModels } from './usable-models.js';

/**
 * `GET {path}/v1/models` and `GET {path}/v1/models/{id}`: the models of a provider or a gateway that the key may use, by the
 * names that they have there. Errors: `model_not_found`.
 */
export async function answerModels({ request, context, record }: HostedCall): Promise<HttpResponse> {
  const found = present(findPath(toOwnPath(request.path, context.basePaths), context), 'the path was found');
  const provider = found.kind === 'models' ? found.provider : found.target.provider;
  const usable = await usableModels(context, callerOf(record));
  const models = usable
    .filter((each) => each.provider === provider)
    .map((each) => toHostedModelEntry(each, each.model));
  if (found.kind !== 'models' || found.model === undefined) {
    return hostedResponse(context.serviceId, { object: 'list', data: models });
  }
  const wanted = found.model;
  const model = models.find(({ id }) => id === wanted);
  if (model !== undefined) return hostedResponse(context.serviceId, model);
  const message =
    'there is no such model under this path that the key may use; the list of models has the existing ones';
  throw new AppError('model_not_found', message, { param: 'model' });
}
