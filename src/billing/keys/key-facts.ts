// A key in the transaction that changes it, and as the audit log has it.
import { cleanText, textOf, type Queries } from '../../database/index.js';
import { keyFacts, type Facts } from '../../metering/index.js';
import type { AccountKey } from '../billing.js';
import { OWN_KEY_COLUMNS, toKey } from './key-rows.js';
import { keyUnknown } from './key-unknown.js';

/** Locks the row of a key and returns it. `accountId`: its owner; undefined: any. Errors: `account_key_unknown`. */
export async function lockKey(queries: Queries, id: string, accountId: string | undefined): Promise<AccountKey> {
  const sql = `SELECT ${OWN_KEY_COLUMNS} FROM account_key WHERE id = $1 AND ($2 = '' OR account_id = $2) FOR UPDATE`;
  const row = await queries.get(sql, cleanText(id, 100), cleanText(accountId ?? '', 100));
  if (row === undefined) throw keyUnknown(id);
  return toKey(row);
}

/** Names of a key and its account, for people. */
export async function namesOfKey(queries: Queries, { name, accountId }: AccountKey): Promise<Facts> {
  const row = await queries.get('SELECT name FROM account WHERE id = $1', accountId);
  return { name, account_id: accountId, account_name: row === undefined ? null : (textOf(row, 'name') ?? null) };
}

/** Limits of a key, under the names that the gateway uses. */
export function accountKeyFacts({ name, limits, expiresAtMs }: Omit<AccountKey, 'currency'>, currency: string): Facts {
  const { models, budgets, ...rates } = limits;
  const limited = { ...rates, budgets: budgets.map((budget) => ({ ...budget, currency })) };
  return keyFacts({ name, models, expiresAtMs, limits: limited });
}
