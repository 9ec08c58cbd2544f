import { createQueryReader } from '../../../endpoint/index.js';
import { Type } from '../../../schema/index.js';
import { makeStatement, PaymentRow, Statement, statementFields } from '../../reports/statement.js';
import { authenticate, callerOf } from '../authenticate.js';
import { csvResponse, formatField } from '../csv-response.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';

const Query = Type.Object({ ...statementFields, ...formatField });
const readQuery = createQueryReader(Query);
/** Payments of one file: more go by pages. */
const CSV_ROWS = 1_000;

/** `GET /v1/statement`: payments and refunds of the key's account, and the cost of its usage. */
export const statement: HostedRoute = {
  method: 'GET',
  path: '/v1/statement',
  summary: 'Lists payments and refunds of the account, with the balance before and after a range of days.',
  query: Query,
  response: Statement,
  before: authenticate,
  async handle({ request, context, record }) {
    const { format, ...asked } = readQuery(request.query);
    const { accounts } = context.billing;
    const page = format === 'csv' ? { limit: CSV_ROWS, ...asked } : asked;
    const made = await makeStatement(accounts, callerOf(record).account.id, page, context.now());
    if (format === 'csv') {
      return csvResponse(context.serviceId, made.data, Object.keys(PaymentRow.properties), made.next_cursor);
    }
    return hostedResponse(context.serviceId, made, { 'cache-control': 'no-store' });
  },
};
