import { createQueryReader } from '../../../endpoint/index.js';
import { Type } from '../../../schema/index.js';
import { showKeys, HostedKey } from '../../operations/shown.js';
import { authenticate, callerOf } from '../authenticate.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';

const Query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
});
const readQuery = createQueryReader(Query);

/** `GET /v1/keys`: the keys of the key's account, without their secrets. */
export const keys: HostedRoute = {
  method: 'GET',
  path: '/v1/keys',
  summary: 'Lists the keys of the account, without their secrets.',
  query: Query,
  response: Type.Object({
    object: Type.Enum(['list']),
    data: Type.Array(HostedKey),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  }),
  before: authenticate,
  async handle({ request, context, record }) {
    const { items, next = null } = await context.billing.keys.list(
      callerOf(record).account.id,
      readQuery(request.query),
    );
    const answer = { object: 'list', data: await showKeys(context.billing, items, context.now()), next_cursor: next };
    return hostedResponse(context.serviceId, answer, { 'cache-control': 'no-store' });
  },
};
