// Sums of usage_day, stored beside it: of each key, for its budgets; of all keys together, and the spend, for pages.
// They change in the transaction that changes usage_day.
import { amountOf, integerOf, textOf, type Row, type Statement, type Store } from '../../database/index.js';
import type { UsedRow } from '../ledger/ledger.js';
import { windowStart } from '../window.js';

/** Amounts to add to the sums of a key. */
export interface KeySum {
  readonly day: number;
  readonly keyId: string;
  /** Empty: of requests without a price. */
  readonly currency: string;
  readonly tokens: number;
  readonly costMicro: bigint;
}

/** The sums of usage_day. */
export interface UsageSums {
  addOfKey(sum: KeySum): void;
  /** Usage of all keys in the windows that `day` lies in. */
  used(day: number): Iterable<UsedRow>;
}

/** Keys whose sums are read at once: 50,000 at once would take 100 MB for a moment, which V8 frees late. */
const PART = 1_000;

/** Days of usage_day from ?2 to ?3, by its primary key: days are few, and each has many rows. */
export const DAYS = `WITH RECURSIVE days(on_day) AS (
    SELECT (SELECT min(day) FROM usage_day WHERE day >= ?2)
    UNION ALL SELECT (SELECT min(day) FROM usage_day WHERE day > on_day) FROM days WHERE on_day <= ?3) `;
/** The rows of the key ?1 on those days. */
export const OF_KEY = ' FROM days CROSS JOIN usage_day ON day = on_day AND key_id = ?1 WHERE on_day <= ?3 ';

/** A day within its week and month empties no open window. A day before the last adds to its own windows. */
const ON_CONFLICT = `ON CONFLICT DO UPDATE SET
    tokens_day = CASE WHEN excluded.last_day > last_day THEN excluded.tokens_day
      WHEN excluded.last_day = last_day THEN tokens_day + excluded.tokens_day ELSE tokens_day END,
    micro_day = CASE WHEN excluded.last_day > last_day THEN excluded.micro_day
      WHEN excluded.last_day = last_day THEN micro_day + excluded.micro_day ELSE micro_day END,
    tokens_week = CASE WHEN excluded.week_start > last_day THEN excluded.tokens_week
      WHEN excluded.last_day >= week_start THEN tokens_week + excluded.tokens_week ELSE tokens_week END,
    micro_week = CASE WHEN excluded.week_start > last_day THEN excluded.micro_week
      WHEN excluded.last_day >= week_start THEN micro_week + excluded.micro_week ELSE micro_week END,
    tokens_month = CASE WHEN excluded.month_start > last_day THEN excluded.tokens_month
      WHEN excluded.last_day >= month_start THEN tokens_month + excluded.tokens_month ELSE tokens_month END,
    micro_month = CASE WHEN excluded.month_start > last_day THEN excluded.micro_month
      WHEN excluded.last_day >= month_start THEN micro_month + excluded.micro_month ELSE micro_month END,
    tokens_total = tokens_total + excluded.tokens_total, micro_total = micro_total + excluded.micro_total,
    week_start = max(week_start, excluded.week_start), month_start = max(month_start, excluded.month_start),
    last_day = max(last_day, excluded.last_day)`;
const INTO_KEY = `INSERT INTO usage_key (key_id, currency, last_day, week_start, month_start, tokens_day, tokens_week,
    tokens_month, tokens_total, micro_day, micro_week, micro_month, micro_total) `;
const ADD_OF_KEY = INTO_KEY.concat('VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6, ?6, ?7, ?7, ?7, ?7) ', ON_CONFLICT);

/** Parameters: a day, and the first days of its week and month. A day after it counts in none but the total. */
const USED = `SELECT key_id, currency, last_day, tokens_total, micro_total,
    iif(last_day = ?1, tokens_day, 0) AS tokens_day, iif(last_day = ?1, micro_day, 0) AS micro_day,
    iif(last_day >= ?2, tokens_week, 0) AS tokens_week, iif(last_day >= ?2, micro_week, 0) AS micro_week,
    iif(last_day >= ?3, tokens_month, 0) AS tokens_month, iif(last_day >= ?3, micro_month, 0) AS micro_month
  FROM usage_key WHERE (key_id, currency) > (?4, ?5) ORDER BY key_id, currency LIMIT ?6`;
const USED_BY = DAYS.concat(
  `SELECT key_id, currency, sum(charged_tokens) AS tokens_total, sum(cost_micro) AS micro_total,
    ifnull(sum(charged_tokens) FILTER (WHERE day = ?4), 0) AS tokens_day,
    ifnull(sum(cost_micro) FILTER (WHERE day = ?4), 0) AS micro_day,
    ifnull(sum(charged_tokens) FILTER (WHERE day BETWEEN ?5 AND ?4), 0) AS tokens_week,
    ifnull(sum(cost_micro) FILTER (WHERE day BETWEEN ?5 AND ?4), 0) AS micro_week,
    ifnull(sum(charged_tokens) FILTER (WHERE day BETWEEN ?6 AND ?4), 0) AS tokens_month,
    ifnull(sum(cost_micro) FILTER (WHERE day BETWEEN ?6 AND ?4), 0) AS micro_month`,
  OF_KEY,
  'GROUP BY currency ORDER BY currency',
);

const FIRST_DAY = Number.MIN_SAFE_INTEGER;
const LAST_DAY = Number.MAX_SAFE_INTEGER;

/** Compiles the statements of the sums. */
export function openUsageSums(store: Store): UsageSums {
  const addOfKey = store.prepare(ADD_OF_KEY);
  const used = store.prepare(USED);
  const usedBy = store.prepare(USED_BY);
  return {
    addOfKey({ day, keyId, currency, tokens, costMicro }) {
      const [week, month] = [windowStart('week', day), windowStart('month', day)];
      addOfKey.run(keyId, currency, day, week, month, tokens, costMicro);
    },
    used: (day) =>
      toUsedRows(rowsInParts(used, day), day, (keyId) => {
        const windows = [day, windowStart('week', day), windowStart('month', day)] as const;
        return toUsedRows(usedBy.all(keyId, FIRST_DAY, LAST_DAY, ...windows), LAST_DAY, () => []);
      }),
  };
}

function* rowsInParts(used: Statement, day: number): Iterable<Row> {
  const windows = [day, windowStart('week', day), windowStart('month', day)] as const;
  for (let [keyId, currency] = ['', '']; ;) {
    const rows = used.all(...windows, keyId, currency, PART);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PART) return;
    [keyId, currency] = [textOf(last, 'key_id') ?? '', textOf(last, 'currency') ?? ''];
  }
}

/**
 * Tokens of a key are those of all its currencies together; its rows are adjacent. `exactly` reads a key with usage
 * after `day`, as after a clock was set back: its sums are those of later windows.
 */
function* toUsedRows(
  rows: Iterable<Row>,
  day: number,
  exactly: (keyId: string) => Iterable<UsedRow>,
): Iterable<UsedRow> {
  let group: Row[] = [];
  const end = (): Iterable<UsedRow> => {
    const [first] = group;
    if (first === undefined) return [];
    const isLater = group.some((row) => row['last_day'] !== undefined && integerOf(row, 'last_day') > day);
    return isLater ? exactly(textOf(first, 'key_id') ?? '') : sumUp(group);
  };
  for (const row of rows) {
    if (group[0] !== undefined && group[0]['key_id'] !== row['key_id']) {
      yield* end();
      group = [];
    }
    group.push(row);
  }
  yield* end();
}

function* sumUp(group: readonly Row[]): Iterable<UsedRow> {
  const keyId = textOf(group[0] ?? {}, 'key_id') ?? '';
  const read = (row: Row, unit: 'tokens' | 'micro') => ({
    day: amountOf(row, `${unit}_day`),
    week: amountOf(row, `${unit}_week`),
    month: amountOf(row, `${unit}_month`),
    total: amountOf(row, `${unit}_total`),
  });
  const tokens = { day: 0n, week: 0n, month: 0n, total: 0n };
  for (const row of group) {
    const own = read(row, 'tokens');
    for (const window of ['day', 'week', 'month', 'total'] as const) tokens[window] += own[window];
    const currency = textOf(row, 'currency') ?? '';
    if (currency !== '') yield { keyId, currency, ...read(row, 'micro') };
  }
  yield { keyId, currency: undefined, ...tokens };
}
