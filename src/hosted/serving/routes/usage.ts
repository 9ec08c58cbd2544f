import { createQueryReader } from '../../../endpoint/index.js';
import { Type } from '../../../schema/index.js';
import { ACCOUNT_GROUPS, reportUsage, usageFields, UsageReportRow } from '../../reports/usage-report.js';
import { authenticate, callerOf } from '../authenticate.js';
import { csvResponse, formatField } from '../csv-response.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';

const INITIAL = 'day,provider,model';
const Query = Type.Object({ ...usageFields(ACCOUNT_GROUPS, INITIAL), ...formatField });
const readQuery = createQueryReader(Query);

/** `GET /v1/usage`: sums of usage of the key's account. */
export const usage: HostedRoute = {
  method: 'GET',
  path: '/v1/usage',
  summary: 'Sums what the account used, by day, key, provider and model.',
  query: Query,
  response: Type.Object({
    object: Type.Enum(['list']),
    currency: Type.String(),
    from: Type.String(),
    to: Type.String(),
    data: Type.Array(UsageReportRow),
  }),
  before: authenticate,
  async handle({ request, context, record }) {
    const { account } = callerOf(record);
    const { format, ...asked } = readQuery(request.query);
    const of = { accountId: account.id, groups: ACCOUNT_GROUPS, initial: INITIAL, nowMs: context.now() };
    const report = await reportUsage(context.billing.requests, of, asked);
    if (format === 'csv') return csvResponse(context.serviceId, report.data, Object.keys(UsageReportRow.properties));
    const answer = { object: 'list', currency: account.currency, ...report };
    return hostedResponse(context.serviceId, answer, { 'cache-control': 'no-store' });
  },
};
