import { ModelEntry } from '../../../api/index.js';
import { AppError } from '../../../base/index.js';
import { findProviderModel } from '../../upstreams/find-provider-model.js';
import { authenticate, callerOf } from '../authenticate.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';
import { toId, toHostedModelEntry, usableModels } from '../usable-models.js';

/** `GET /v1/models/{id}`: one of them. Ids have slashes, as they are or as %2F. */
export const model: HostedRoute = {
  method: 'GET',
  path: '/v1/models/{id...}',
  summary: 'Describes one model, by the provider/model of requests.',
  response: ModelEntry,
  before: authenticate,
  async handle({ params, context, record }) {
    const named = findProviderModel(params['id'] ?? '', context);
    const usable = await usableModels(context, callerOf(record));
    const found = named && usable.find((each) => toId(each) === toId(named));
    if (found !== undefined) return hostedResponse(context.serviceId, toHostedModelEntry(found, toId(found)));
    const message = 'there is no such model that this key may use; GET /v1/models lists them, as provider/model';
    throw new AppError('model_not_found', message, { param: 'model' });
  },
};
