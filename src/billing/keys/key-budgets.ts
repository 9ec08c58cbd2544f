import { amountOf, integerOf, textOf, type Queries, type Row } from '../../database/index.js';
import { dayOf, windowEndMs, windowStart, type BudgetState, type Window } from '../../metering/index.js';
import type { AccountKey } from '../billing.js';

/** The window that a moment lies in, as rows and holds name it: `month:20423`. */
export function windowAt(window: Window, unixMs: number): string {
  return `${window}:${window === 'total' ? 0 : windowStart(window, dayOf(unixMs))}`;
}

/** The state of a key's budgets at a moment, in the currency of its account. Errors: `database_unavailable`. */
export async function readKeyBudgets(
  queries: Queries,
  key: AccountKey,
  unixMs: number,
): Promise<readonly BudgetState[]> {
  if (key.limits.budgets.length === 0) return [];
  const sql = 'SELECT kind, start_day, used_micro, held_micro FROM key_window WHERE key_id = $1';
  return toBudgetStates(key, await queries.all(sql, key.id), unixMs);
}

/** The same of rows of the key's windows. */
export function toBudgetStates(
  { currency, limits }: AccountKey,
  rows: readonly Row[],
  unixMs: number,
): readonly BudgetState[] {
  const byWindow = new Map(rows.map((row) => [`${textOf(row, 'kind')}:${integerOf(row, 'start_day')}`, row]));
  return limits.budgets.map(({ amountMicro, window }) => {
    const row = byWindow.get(windowAt(window, unixMs)) ?? {};
    const resetsAtMs = windowEndMs(window, dayOf(unixMs));
    return {
      currency,
      window,
      limit: amountMicro,
      used: amountOf(row, 'used_micro'),
      held: amountOf(row, 'held_micro'),
      ...(resetsAtMs !== undefined && { resetsAtMs }),
    };
  });
}
