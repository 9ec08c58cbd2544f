import { ModelEntry } from '../../../api/index.js';
import { findRoutedModel } from '../../routing/routing-table.js';
import { authenticate } from '../authenticate.js';
import { gatewayResponse } from '../gateway-response.js';
import type { GatewayRoute } from '../gateway-route.js';
import { toEntry } from './models.js';

/** `GET /v1/models/{id}`: one of them. Ids may have slashes, as they are or as %2F. */
export const model: GatewayRoute = {
  method: 'GET',
  path: '/v1/models/{id...}',
  summary: 'Tells of one model.',
  response: ModelEntry,
  before: authenticate,
  handle: async ({ params, context, record }) =>
    gatewayResponse(context, toEntry(findRoutedModel(context.table(), params['id'], record.key?.models ?? null))),
};
