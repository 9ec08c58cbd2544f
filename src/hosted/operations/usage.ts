import { Type } from '../../schema/index.js';
import { ALL_GROUPS, reportUsage, usageFields } from '../reports/usage-report.js';
import { Id, operation } from './operation.js';

const INITIAL = 'account';

/** What one account used, or all of them, summed by what is asked for. Errors: `invalid_value`. */
export const sumUsage = operation({
  params: Type.Object({ account_id: Type.Optional(Id), ...usageFields(ALL_GROUPS, INITIAL) }),
  async run({ billing, now }, { account_id: accountId, ...asked }) {
    // What was settled just now is in it.
    await billing.tick();
    const of = { accountId, groups: ALL_GROUPS, initial: INITIAL, nowMs: now() };
    const { from, to, data } = await reportUsage(billing.requests, of, asked);
    return { from, to, usage: data };
  },
});
