import { MAX_GRACE_MS } from '../../../metering/index.js';
import { AppError } from '../../../base/index.js';
import type { Caller } from '../../../billing/index.js';
import { jsonBody } from '../../../endpoint/index.js';
import { Type, type Static } from '../../../schema/index.js';
import { endOf } from '../../operations/operation.js';
import { HostedKey, showNewKey } from '../../operations/shown.js';
import { authenticate, callerOf } from '../authenticate.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';

const Body = Type.Object({
  grace_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_GRACE_MS / 1_000,
      description: 'how long the secret before is still taken; default 0: every older secret ends at once',
    }),
  ),
});
const MAX_BODY_BYTES = 10_000;

/** `POST /v1/keys/{id}/rotate`: another secret of a key of the account. */
export const rotateKey: HostedRoute<Static<typeof Body>> = {
  method: 'POST',
  path: '/v1/keys/{id}/rotate',
  summary: 'Gives a key of the account another secret, which is in this answer and nowhere else.',
  body: jsonBody(Body, { maxBytes: MAX_BODY_BYTES, mayLack: true }),
  response: Type.Object({
    secret: Type.String(),
    key: HostedKey,
  }),
  before: authenticate,
  async handle(call) {
    const { body, context, params, record } = call;
    // Checked again: a body may take long, and the key may have ended since.
    await authenticate(call);
    const caller = callerOf(record);
    const id = params['id'] ?? '';
    const graceS = body.grace_s ?? 0;
    const actor = `key:${caller.key.id}`;
    try {
      checkMay(caller, id);
      const made = await context.billing.keys.rotate(id, graceS * 1_000, actor, caller.account.id);
      const answer = showNewKey(made, context.now());
      return hostedResponse(context.serviceId, answer, { 'cache-control': 'no-store' });
    } catch (error) {
      const diff = { grace_s: graceS };
      await context.refusals.add({ actor, action: 'key.rotate', target: `key:${id}`, diff, ...endOf(error) });
      throw error;
    }
  },
};

/**
 * A key may rotate itself; a key without limits may rotate every key of its account. So no key gains the secret of a
 * more powerful one. An older secret may not rotate: a person who found it could keep the key. Errors:
 * `key_rotation_denied`.
 */
function checkMay({ key, graceUntilMs }: Caller, id: string): void {
  if (graceUntilMs !== undefined) {
    throw new AppError('key_rotation_denied', 'this secret was rotated already; send the newest one of the key');
  }
  const { budgets, models, requestsPerMinute, tokensPerMinute, parallelRequests } = key.limits;
  const isUnlimited =
    models === null &&
    budgets.length === 0 &&
    [requestsPerMinute, tokensPerMinute, parallelRequests, key.expiresAtMs ?? undefined].every(
      (limit) => limit === undefined,
    );
  if (key.id === id || isUnlimited) return;
  const message = `a key with limits may rotate itself alone (${key.id}); send a key without limits, or ask the operator`;
  throw new AppError('key_rotation_denied', message);
}
