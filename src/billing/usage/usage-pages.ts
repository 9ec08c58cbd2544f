import { AppError } from '../../base/index.js';
import { amountOf, cleanText, integerOf, textOf, type Database, type Row } from '../../database/index.js';
import type { PaidRequests } from '../billing.js';
import { pageLimitOf, toPage, type Cursors } from '../cursor.js';
import { sumUsage } from './sum-usage.js';
import type { Page, PageQuery } from '../pages.js';
import type { Generation, RequestFilters } from './usage-views.js';
import { toIdentity } from '../books/request-identity.js';

/** Columns that name a request beside its ids, from tables that `JOINS` adds to a table called `u`. */
const NAMES = 'a.name AS account_name, k.name AS key_name';
const JOINS = 'LEFT JOIN account a ON a.id = u.account_id LEFT JOIN account_key k ON k.id = u.key_id';

/** A row of a request that ended, or of the hold of one that runs, which has no counts. */
function toGeneration(row: Row): Generation {
  const state = textOf(row, 'state');
  const orNull = (name: string): number | null => (typeof row[name] === 'number' ? row[name] : null);
  return {
    ...toIdentity(row),
    accountName: textOf(row, 'account_name') ?? '',
    keyName: textOf(row, 'key_name') ?? '',
    state: state === 'settled' || state === 'voided' ? state : 'running',
    promptTokens: integerOf(row, 'prompt_tokens'),
    cachedTokens: integerOf(row, 'cached_tokens'),
    cacheWriteTokens: integerOf(row, 'cache_write_tokens'),
    completionTokens: integerOf(row, 'completion_tokens'),
    reasoningTokens: integerOf(row, 'reasoning_tokens'),
    isEstimated: integerOf(row, 'is_estimated') === 1,
    costMicro: amountOf(row, 'cost_micro'),
    status: orNull('status'),
    durationMs: orNull('duration_ms'),
    firstByteMs: orNull('first_byte_ms'),
  };
}

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

/** Requests that ended, the newest first: of one account, or of all. Errors: `invalid_value`. */
async function listRequests(
  database: Database,
  cursors: Cursors,
  accountId: string | undefined,
  query: PageQuery & RequestFilters,
): Promise<Page<Generation>> {
  const { cursor, limit: _, ...filters } = query;
  const limit = pageLimitOf(query);
  const list = `requests ${JSON.stringify([accountId ?? null, filters])}`;
  const [atMs = Number.MAX_SAFE_INTEGER, id = ''] = cursors.read(list, cursor) ?? [];
  const values: (string | number)[] = [atMs, id];
  const value = (given: string | number): string => `$${values.push(given)}`;
  const { fromMs, toMs, keyId, provider, model, state, isFailed } = filters;
  // Only the conditions of the query: each list then uses its index.
  const conditions = [
    '(u.created_at_ms < $1 OR (u.created_at_ms = $1 AND u.request_id < $2))',
    ...(accountId === undefined ? [] : [`u.account_id = ${value(cleanText(accountId, 100))}`]),
    ...(keyId === undefined ? [] : [`u.key_id = ${value(cleanText(keyId, 100))}`]),
    ...(provider === undefined ? [] : [`u.provider = ${value(cleanText(provider, 100))}`]),
    ...(model === undefined ? [] : [`u.model = ${value(cleanText(model, 300))}`]),
    ...(state === undefined ? [] : [`u.state = ${value(state)}`]),
    ...(fromMs === undefined ? [] : [`u.created_at_ms >= ${value(fromMs)}`]),
    ...(toMs === undefined ? [] : [`u.created_at_ms < ${value(toMs)}`]),
    ...(isFailed === true ? ['(u.status IS NULL OR u.status >= 400)'] : []),
  ];
  const sql = `SELECT u.*, ${NAMES} FROM usage_row u ${JOINS} WHERE ${conditions.join(' AND ')}
    ORDER BY u.created_at_ms DESC, u.request_id DESC LIMIT ${limit + 1}`;
  const rows = await database.all(sql, ...values);
  return toPage(rows.map(toGeneration), limit, (last) => cursors.write(list, [last.createdAtMs, last.requestId]));
}
