import { ModelList, type ModelEntry } from '../../../api/index.js';
import { keyAllowsModel, type RoutedModel } from '../../routing/routing-table.js';
import { authenticate } from '../authenticate.js';
import type { GatewayRoute } from '../gateway-route.js';
import { gatewayResponse } from '../gateway-response.js';

/** `GET /v1/models`: the models that the key may use. */
export const models: GatewayRoute = {
  method: 'GET',
  path: '/v1/models',
  summary: 'Lists the models that the key may use.',
  response: ModelList,
  before: authenticate,
  async handle({ context, record }) {
    const allowed = record.key?.models ?? null;
    const data = Array.from(context.table().models.values())
      .filter(({ id }) => keyAllowsModel(allowed, id))
      .map(toEntry);
    return gatewayResponse(context, { object: 'list', data });
  },
};

/** A model of the file. It has no creation date. */
export function toEntry({ id }: RoutedModel): ModelEntry {
  return { id, object: 'model', created: 0, owned_by: 'private-gateway' };
}
