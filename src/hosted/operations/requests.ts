import { Type } from '../../schema/index.js';
import { showGeneration } from '../reports/shown-generation.js';
import { Id, operation, pageFields } from './operation.js';

const Time = Type.Integer({ minimum: 0 });

/** Requests of one account or of all, the newest first: their tokens and costs, without content. Errors: `account_unknown`. */
export const listRequests = operation({
  params: Type.Object({
    ...pageFields,
    account_id: Type.Optional(Id),
    key_id: Type.Optional(Id),
    provider: Type.Optional(Type.String({ maxLength: 64 })),
    model: Type.Optional(Type.String({ maxLength: 300 })),
    state: Type.Optional(Type.Enum(['settled', 'voided'])),
    failed: Type.Optional(Type.Boolean()),
    from_ms: Type.Optional(Time),
    to_ms: Type.Optional(Time),
  }),
  async run({ billing }, asked) {
    const { account_id: accountId, key_id: keyId, failed, from_ms: fromMs, to_ms: toMs, ...query } = asked;
    if (accountId !== undefined) await billing.accounts.get(accountId);
    const { items, next = null } = await billing.requests.list(accountId, {
      ...query,
      ...(keyId !== undefined && { keyId }),
      ...(failed !== undefined && { isFailed: failed }),
      ...(fromMs !== undefined && { fromMs }),
      ...(toMs !== undefined && { toMs }),
    });
    const requests = items.map((item) => {
      return { ...showGeneration(item), account_id: item.accountId, account_name: item.accountName };
    });
    return { requests, next };
  },
});
