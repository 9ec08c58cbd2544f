import { AppError, invalidValue } from '../../base/index.js';
import { amountOf, cleanText, integerOf, textOf, type Database, type Row } from '../../database/index.js';
import { dayOf } from '../../metering/index.js';
import type { UsageGroup, AccountUsageQuery, UsageSum } from './usage-views.js';

const DAY_MS = 86_400_000;
/** Days of one answer. */
const MAX_DAYS = 3_700;
/** Rows of one answer: some 20 MB. */
const MAX_ROWS = 100_000;
const COUNTS = ['prompt_tokens', 'cached_tokens', 'cache_write_tokens', 'completion_tokens', 'cost_micro'] as const;
const ALL: readonly UsageGroup[] = ['day', 'key', 'provider', 'model'];

/** The columns of a group, by their names in the answer. */
const COLUMNS: Readonly<Record<UsageGroup, Readonly<Record<string, string>>>> = {
  account: { account_id: 'u.account_id', account_name: 'a.name' },
  day: { day: 'u.day' },
  key: { key_id: 'u.key_id', key_name: 'k.name' },
  provider: { provider: 'u.provider' },
  model: { model: 'u.model' },
};

/**
 * Sums of all accounts, of each account, and of each key and model, with the groups that each supports. The first that
 * fits is read.
 */
const KEPT: readonly { readonly table: string; readonly groups: readonly UsageGroup[] }[] = [
  { table: 'usage_total_day', groups: ['day', 'provider', 'model'] },
  { table: 'usage_account_day', groups: ['account', 'day'] },
];

/** Sums of usage by days, from the sums that are kept: records of single requests are not read. */
export async function sumUsage(
  database: Database,
  accountId: string | undefined,
  { fromMs, toMs, groups = ALL }: AccountUsageQuery,
): Promise<readonly UsageSum[]> {
  if (!(Number.isFinite(fromMs) && Number.isFinite(toMs) && toMs >= fromMs && toMs - fromMs <= MAX_DAYS * DAY_MS))
    throw invalidValue('from and to', `${fromMs} and ${toMs}`, `times in this order, at most ${MAX_DAYS} days apart`);
  const columns = groups.flatMap((group) => Object.entries(COLUMNS[group]));
  const named = columns.map(([name, column]) => `${column} AS ${name}`);
  const sums = COUNTS.map((name) => `CAST(SUM(u.${name}) AS BIGINT) AS ${name}`);
  const can = ({ groups: given }: (typeof KEPT)[number]): boolean => groups.every((group) => given.includes(group));
  const table = (accountId === undefined ? KEPT.find(can)?.table : undefined) ?? 'usage_day';
  const isTotal = table === 'usage_total_day';
  const currency = isTotal ? 'u.currency' : 'a.currency';
  const by = [...columns.map(([, column]) => column), currency].join(', ');
  const order = groups.includes('day') ? `u.day, ${by}` : `cost_micro DESC, ${by}`;
  const keys = groups.includes('key') ? 'LEFT JOIN account_key k ON k.id = u.key_id' : '';
  const from = isTotal ? 'usage_total_day u' : `${table} u JOIN account a ON a.id = u.account_id ${keys}`;
  const sql = `SELECT ${[...named, `${currency} AS currency`, ...sums].join(', ')}, CAST(SUM(u.requests) AS BIGINT) AS requests
    FROM ${from}
    WHERE ${accountId === undefined ? '' : 'u.account_id = $3 AND '}u.day >= $1 AND u.day < $2
    GROUP BY ${by} ORDER BY ${order} LIMIT ${MAX_ROWS + 1}`;
  const days = [dayOf(fromMs), dayOf(toMs - 1) + 1];
  const rows = await database.all(sql, ...days, ...(accountId === undefined ? [] : [cleanText(accountId, 100)]));
  if (rows.length <= MAX_ROWS) return rows.map((row) => toUsageSum(row, groups));
  const message = `these are more than ${MAX_ROWS} sums; ask for fewer days, or group by less`;
  throw new AppError('invalid_value', message, { param: 'group_by' });
}

function toUsageSum(row: Row, groups: readonly UsageGroup[]): UsageSum {
  const text = (name: string): string => textOf(row, name) ?? '';
  const has = (group: UsageGroup): boolean => groups.includes(group);
  return {
    ...(has('account') && { accountId: text('account_id'), accountName: text('account_name') }),
    ...(has('day') && { dayMs: integerOf(row, 'day') * DAY_MS }),
    ...(has('key') && { keyId: text('key_id'), keyName: text('key_name') }),
    ...(has('provider') && { provider: text('provider') }),
    ...(has('model') && { model: text('model') }),
    currency: text('currency'),
    requests: integerOf(row, 'requests'),
    promptTokens: amountOf(row, 'prompt_tokens'),
    cachedTokens: amountOf(row, 'cached_tokens'),
    cacheWriteTokens: amountOf(row, 'cache_write_tokens'),
    completionTokens: amountOf(row, 'completion_tokens'),
    costMicro: amountOf(row, 'cost_micro'),
  };
}
