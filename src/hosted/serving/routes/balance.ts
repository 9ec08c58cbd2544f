import { Type } from '../../../schema/index.js';
import { authenticate, callerOf } from '../authenticate.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';
import { toAmount } from '../../../words/index.js';

/** Amounts are decimal texts of the currency. */
const Balance = Type.Object({
  object: Type.Enum(['balance']),
  account: Type.String(),
  name: Type.String(),
  currency: Type.String(),
  balance: Type.String({ description: 'available and held together' }),
  available: Type.String({ description: 'what requests may still reserve' }),
  held: Type.String({ description: 'reserved by running requests' }),
});

/** `GET /v1/balance`: the money of the key's account. */
export const balance: HostedRoute = {
  method: 'GET',
  path: '/v1/balance',
  summary: "Shows the balance of the key's account.",
  response: Balance,
  before: authenticate,
  async handle({ context, record }) {
    const { id, name, currency, availableMicro, heldMicro } = await context.billing.accounts.get(
      callerOf(record).account.id,
    );
    return hostedResponse(context.serviceId, {
      object: 'balance',
      account: id,
      name,
      currency,
      balance: toAmount(availableMicro + heldMicro),
      available: toAmount(availableMicro),
      held: toAmount(heldMicro),
    });
  },
};
