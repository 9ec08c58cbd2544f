import { AppError } from '../../base/index.js';
import { cleanText, type Database } from '../../database/index.js';
import type { PaidRequests } from '../billing.js';
import type { Cursors } from '../cursor.js';
import { listRequests } from './list-requests.js';
import { JOINS, NAMES, toGeneration } from './request-rows.js';
import { sumUsage } from './sum-usage.js';

/** The requests that an account may see. */
export function createUsagePages(
  database: Database,
  cursors: Cursors,
): Pick<PaidRequests, 'generation' | 'list' | 'usage'> {
  return {
    async generation(accountId, requestId) {
      const [account, request] = [cleanText(accountId, 100), cleanText(requestId, 300)];
      const find = (table: string): string =>
        `SELECT u.*, ${NAMES} FROM ${table} u ${JOINS} WHERE u.request_id = $1 AND u.account_id = $2`;
      const row =
        (await database.get(find('usage_row'), request, account)) ??
        (await database.get(find('hold'), request, account));
      if (row !== undefined) return toGeneration(row);
      const message = `there is no request ${request} of this account; requests that run appear when they end`;
      throw new AppError('request_unknown', message, { requestId: request });
    },
    list: (accountId, query) => listRequests(database, cursors, accountId, query),
    usage: (accountId, query) => sumUsage(database, accountId, query),
  };
}
