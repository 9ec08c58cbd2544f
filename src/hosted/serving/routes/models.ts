import { ModelList } from '../../../api/index.js';
import { authenticate, callerOf } from '../authenticate.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';
import { toId, toHostedModelEntry, usableModels } from '../usable-models.js';

/** `GET /v1/models`: every model that the key may use, as requests to plain paths name them. */
export const models: HostedRoute = {
  method: 'GET',
  path: '/v1/models',
  summary: 'Lists the models of all providers and gateways that the key may use, as provider/model.',
  response: ModelList,
  before: authenticate,
  async handle({ context, record }) {
    const usable = await usableModels(context, callerOf(record));
    const data = usable.map((model) => toHostedModelEntry(model, toId(model)));
    return hostedResponse(context.serviceId, { object: 'list', data });
  },
};
