import { integerOf, textOf, type Row } from '../../database/index.js';
import type { AccountKey, Caller } from '../billing.js';
import { readLimits } from './key-limits.js';

const NAMES = [
  'id',
  'account_id',
  'prefix',
  'name',
  'state',
  'limits',
  'created_at_ms',
  'expires_at_ms',
  'last_used_at_ms',
];

/** The columns of a key, with the currency of its account: of a table with the alias `k`, or of the only table. */
export const KEY_COLUMNS = columnsOf('k');
export const OWN_KEY_COLUMNS = columnsOf('account_key');

function columnsOf(table: string): string {
  const own = NAMES.map((name) => `${table}.${name}`).join(', ');
  return `${own}, (SELECT currency FROM account WHERE id = ${table}.account_id) AS currency`;
}

/** A key as a row has it. */
export function toKey(row: Row): AccountKey {
  return {
    id: textOf(row, 'id') ?? '',
    accountId: textOf(row, 'account_id') ?? '',
    currency: textOf(row, 'currency') ?? '',
    prefix: textOf(row, 'prefix') ?? '',
    name: textOf(row, 'name') ?? '',
    state: textOf(row, 'state') === 'active' ? 'active' : 'disabled',
    limits: readLimits(textOf(row, 'limits') ?? '{"budgets":[],"models":null}'),
    createdAtMs: integerOf(row, 'created_at_ms'),
    expiresAtMs: row['expires_at_ms'] === null ? null : integerOf(row, 'expires_at_ms'),
    lastUsedAtMs: row['last_used_at_ms'] === null ? null : integerOf(row, 'last_used_at_ms'),
  };
}

/** A key with its account, whose columns begin with `account_`, and the secret that it was found by. */
export function toCaller(row: Row): Caller {
  const key = toKey(row);
  const account = {
    id: key.accountId,
    name: textOf(row, 'account_name') ?? '',
    currency: textOf(row, 'account_currency') ?? '',
    state: textOf(row, 'account_state') === 'active' ? ('active' as const) : ('suspended' as const),
  };
  const graceUntilMs = row['grace_until_ms'];
  return {
    key,
    account,
    secretHash: textOf(row, 'secret_hash') ?? '',
    ...(graceUntilMs != null && { graceUntilMs: integerOf(row, 'grace_until_ms') }),
  };
}
