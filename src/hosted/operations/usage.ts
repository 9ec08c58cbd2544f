import { Type } from '../../schema/index.js';
import { ALL_GROUPS, reportUsage, usageFields } from '../reports/usage-report.js';
import { Id, operation } from './operation.js';

const INITIAL = 'account';

/** Usage of one account or of all, grouped as requested. Errors: `account_unknown`, `invalid_value`. */
export const sumUsage = operation({
  params: Type.Object({ account_id: Type.Optional(Id), ...usageFields(ALL_GROUPS, INITIAL) }),
  async run({ billing, now }, { account_id: accountId, ...asked }) {
    if (accountId !== undefined) await billing.accounts.get(accountId);
    // Includes requests that were settled a moment ago.
    await billing.tick();
    const of = { accountId, groups: ALL_GROUPS, initial: INITIAL, nowMs: now() };
    const { from, to, data } = await reportUsage(billing.requests, of, asked);
    return { from, to, usage: data };
  },
});
