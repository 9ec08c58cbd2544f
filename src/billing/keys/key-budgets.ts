import { amountOf, integerOf, textOf, type Queries } from '../../database/index.js';
import { dayOf, windowEndMs, windowStart, type BudgetState, type Window } from '../../metering/index.js';
import type { Caller } from '../billing.js';

/** The window that a moment lies in, as rows and holds name it: `month:20423`. */
export function windowAt(window: Window, unixMs: number): string {
  return `${window}:${window === 'total' ? 0 : windowStart(window, dayOf(unixMs))}`;
}

/** The state of a key's budgets at a moment, in the currency of its account. Errors: `database_unavailable`. */
export async function readKeyBudgets(
  queries: Queries,
  { key, account }: Caller,
  unixMs: number,
): Promise<readonly BudgetState[]> {
  const { budgets } = key.limits;
  if (budgets.length === 0) return [];
  const sql = 'SELECT kind, start_day, used_micro, held_micro FROM key_window WHERE key_id = $1';
  const rows = await queries.all(sql, key.id);
  const byWindow = new Map(rows.map((row) => [`${textOf(row, 'kind')}:${integerOf(row, 'start_day')}`, row]));
  return budgets.map(({ amountMicro, window }) => {
    const row = byWindow.get(windowAt(window, unixMs)) ?? {};
    const resetsAtMs = windowEndMs(window, dayOf(unixMs));
    return {
      currency: account.currency,
      window,
      limit: amountMicro,
      used: amountOf(row, 'used_micro'),
      held: amountOf(row, 'held_micro'),
      ...(resetsAtMs !== undefined && { resetsAtMs }),
    };
  });
}
