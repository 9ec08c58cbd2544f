import { cleanText, type Database } from '../../database/index.js';
import type { Page, PageQuery } from '../pages.js';
import type { Generation, RequestFilters } from './usage-views.js';
import { pageLimitOf, toPage, type Cursors } from '../cursor.js';
import { JOINS, NAMES, toGeneration } from './request-rows.js';

/** Requests that ended, the newest first: of one account, or of all. Errors: `invalid_value`. */
export async function listRequests(
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
