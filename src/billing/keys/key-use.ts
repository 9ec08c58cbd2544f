import { integerOf, textOf, type Queries, type Row } from '../../database/index.js';
import { dayOf, windowStart } from '../../metering/index.js';
import type { AccountKey } from '../billing.js';
import type { AccountKeyUse } from '../usage/usage-views.js';
import { toBudgetStates } from './key-budgets.js';

/** What keys of one account used, and until when their older secrets are taken: in the order of `keys`. */
export async function readKeyUse(
  queries: Queries,
  keys: readonly AccountKey[],
  unixMs: number,
): Promise<readonly AccountKeyUse[]> {
  const [first] = keys;
  if (first === undefined) return [];
  const ids = keys.map(({ id }) => id);
  const today = dayOf(unixMs);
  const sums = ['$2', '$3', '0'].map(
    (day, i) =>
      `CAST(SUM(CASE WHEN day >= ${day} THEN prompt_tokens + completion_tokens ELSE 0 END) AS BIGINT) AS sum_${i}`,
  );
  const [windows, graces, tokens] = await Promise.all([
    queries.all(
      'SELECT key_id, kind, start_day, used_micro, held_micro FROM key_window WHERE key_id = ANY($1::text[])',
      ids,
    ),
    queries.all(
      `SELECT key_id, MAX(until_ms) AS until_ms FROM account_key_grace
        WHERE key_id = ANY($1::text[]) AND until_ms > $2 GROUP BY key_id`,
      ids,
      unixMs,
    ),
    queries.all(
      `SELECT key_id, ${sums.join(', ')} FROM usage_day WHERE account_id = $1 GROUP BY key_id`,
      first.accountId,
      today,
      windowStart('month', today),
    ),
  ]);
  const of = (rows: readonly Row[], id: string): readonly Row[] => rows.filter((row) => textOf(row, 'key_id') === id);
  return keys.map((key) => {
    const [grace] = of(graces, key.id);
    const [used = {}] = of(tokens, key.id);
    return {
      budgets: toBudgetStates(key, of(windows, key.id), unixMs),
      graceUntilMs: grace === undefined ? null : integerOf(grace, 'until_ms'),
      used: { day: integerOf(used, 'sum_0'), month: integerOf(used, 'sum_1'), total: integerOf(used, 'sum_2') },
    };
  });
}
