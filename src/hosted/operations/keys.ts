import { MAX_GRACE_MS } from '../../metering/index.js';
import { present } from '../../base/index.js';
import { Type } from '../../schema/index.js';
import { parseAmount } from './accounts.js';
import { checkModels } from './check-models.js';
import { change, Id, Name, operation, pageFields } from './operation.js';
import { showKeys, showNewKey } from './shown.js';

const Count = Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 });
const MAX_BUDGETS = 8;
const MAX_PATTERNS = 1_000;

/** A new key of an account. Only this answer contains its secret. Errors: also those of `checkModels`. */
export const createKey = change(
  {
    action: 'key.create',
    target: ({ name }) => `key:${name}`,
    asked: ({ account_id: account, name, budgets, ...after }) => ({
      account_id: account,
      name,
      before: null,
      after,
      budgets,
    }),
  },
  {
    params: Type.Object({
      account_id: Id,
      name: Name,
      models: Type.Optional(
        Type.Union([
          Type.Null(),
          Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: MAX_PATTERNS }),
        ]),
      ),
      expires_at_ms: Type.Optional(Type.Integer({ minimum: 1 })),
      requests_per_minute: Type.Optional(Count),
      tokens_per_minute: Type.Optional(Count),
      parallel_requests: Type.Optional(Count),
      budgets: Type.Optional(
        Type.Array(
          Type.Object({
            amount: Type.String({ maxLength: 32 }),
            window: Type.Enum(['day', 'week', 'month', 'total']),
          }),
          { maxItems: MAX_BUDGETS },
        ),
      ),
    }),
    async run(context, params) {
      const { billing, by } = context;
      const { account_id: accountId, name, models = null, expires_at_ms: expiresAtMs, budgets = [] } = params;
      await checkModels(models, context);
      const { requests_per_minute: requests, tokens_per_minute: tokens, parallel_requests: parallel } = params;
      const limits = {
        ...(requests !== undefined && { requestsPerMinute: requests }),
        ...(tokens !== undefined && { tokensPerMinute: tokens }),
        ...(parallel !== undefined && { parallelRequests: parallel }),
        budgets: budgets.map(({ amount, window }) => ({ amountMicro: parseAmount('budget', amount), window })),
        models,
      };
      const wanted = { name, limits, ...(expiresAtMs !== undefined && { expiresAtMs }) };
      return showNewKey(await billing.keys.create(accountId, wanted, by), context.now());
    },
  },
);

/** The keys of an account by pages. */
export const listKeys = operation({
  params: Type.Object({ account_id: Id, ...pageFields }),
  async run({ billing, now }, { account_id: accountId, ...query }) {
    const { items, next = null } = await billing.keys.list(accountId, query);
    return { keys: await showKeys(billing, items, now()), next };
  },
});

/** Another secret of a key; the one before is taken for a while more. With no grace every older one ends at once. */
export const rotateKey = change(
  {
    action: 'key.rotate',
    target: ({ id }) => `key:${id}`,
    asked: ({ grace_ms: graceMs }) => ({ grace_s: graceMs / 1_000 }),
  },
  {
    params: Type.Object({ id: Id, grace_ms: Type.Integer({ minimum: 0, maximum: MAX_GRACE_MS }) }),
    run: async ({ billing, by, now }, { id, grace_ms: graceMs }) =>
      showNewKey(await billing.keys.rotate(id, graceMs, by), now()),
  },
);

/** Disables or enables a key. Disabling ends its requests under way. */
export const setKeyState = change(
  {
    action: ({ state }) => `key.${state}`,
    target: ({ id }) => `key:${id}`,
    asked: ({ state }) => ({ after: { state } }),
  },
  {
    params: Type.Object({ id: Id, state: Type.Enum(['active', 'disabled']) }),
    async run({ billing, by, now }, { id, state }) {
      const [key] = await showKeys(billing, [await billing.keys.setState(id, state, by)], now());
      return { key: present(key, 'there is one for each key') };
    },
  },
);
