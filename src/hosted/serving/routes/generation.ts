import { showGeneration, ShownGeneration } from '../../reports/shown-generation.js';
import { authenticate, callerOf } from '../authenticate.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';

/** `GET /v1/generations/{id}`: one request of the key's account. Another account's id is one that does not exist. */
export const generation: HostedRoute = {
  method: 'GET',
  path: '/v1/generations/{id}',
  summary: 'Shows the usage and the cost of one request.',
  response: ShownGeneration,
  before: authenticate,
  async handle({ params, context, record }) {
    const { account } = callerOf(record);
    const found = await context.billing.requests.generation(account.id, params['id'] ?? '');
    return hostedResponse(context.serviceId, showGeneration(found), { 'cache-control': 'no-store' });
  },
};
