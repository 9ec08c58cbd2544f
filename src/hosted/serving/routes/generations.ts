import { createQueryReader } from '../../../endpoint/index.js';
import { Type } from '../../../schema/index.js';
import { authenticate, callerOf } from '../authenticate.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';
import { showGeneration, ShownGeneration } from '../../reports/shown-generation.js';

const Query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
  key_id: Type.Optional(Type.String({ maxLength: 64 })),
  model: Type.Optional(Type.String({ maxLength: 300 })),
});
const readQuery = createQueryReader(Query);

/** `GET /v1/generations`: the requests of the key's account, the newest first. */
export const generations: HostedRoute = {
  method: 'GET',
  path: '/v1/generations',
  summary: 'Lists the requests of the account with what each cost, the newest first.',
  query: Query,
  response: Type.Object({
    object: Type.Enum(['list']),
    data: Type.Array(ShownGeneration),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  }),
  before: authenticate,
  async handle({ request, context, record }) {
    const { limit, cursor, key_id: keyId, model } = readQuery(request.query);
    const { items, next = null } = await context.billing.requests.list(callerOf(record).account.id, {
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      ...(keyId !== undefined && { keyId }),
      ...(model !== undefined && { model }),
    });
    const answer = { object: 'list', data: items.map(showGeneration), next_cursor: next };
    return hostedResponse(context.serviceId, answer, { 'cache-control': 'no-store' });
  },
};
