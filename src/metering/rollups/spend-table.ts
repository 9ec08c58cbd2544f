import { amountOf, integerOf, textOf, type Store } from '../../database/index.js';
import type { SpendRow } from './rollup-table.js';
import { STEP_MS } from './steps.js';

/** Charges by hour and model; past hours also by day. Usage settles at once, so a past hour is final. */
export interface SpendTable {
  /** Adds the charge of a request, in the transaction that charges it. */
  add(startMs: number, model: string, currency: string, costMicro: bigint): void;
  /** Adds the hours from `fromMs` on and before `toMs` to their days. */
  addToDays(fromMs: number, toMs: number): void;
  /** By hour, of all models or of one. */
  hours(fromMs: number, toMs: number, model: string | undefined): readonly SpendRow[];
  /** By day: the added days, and the hours from `hoursFromMs` on that no day includes. */
  days(fromMs: number, toMs: number, hoursFromMs: number, model: string | undefined): readonly SpendRow[];
  /** Whether any hour exists. */
  hasHours(): boolean;
  removeBefore(hourMs: number, dayMs: number): void;
}

const { hour: HOUR_MS, day: DAY_MS } = STEP_MS;

/**
 * Compiles the statements of the spend. The length of a day is a literal: bound numbers would divide with fractions.
 */
export function openSpendTable(store: Store): SpendTable {
  const add = store.prepare(
    `INSERT INTO spend (step_ms, start_ms, model, currency, cost_micro) VALUES (?5, ?1, ?2, ?3, ?4)
     ON CONFLICT DO UPDATE SET cost_micro = cost_micro + ?4`,
  );
  const addToDays = store.prepare(
    `INSERT INTO spend (step_ms, start_ms, model, currency, cost_micro)
     SELECT 86400000, start_ms / 86400000 * 86400000, model, currency, sum(cost_micro) FROM spend
     WHERE step_ms = ?3 AND start_ms >= ?1 AND start_ms < ?2
     GROUP BY 2, 3, 4 ON CONFLICT DO UPDATE SET cost_micro = cost_micro + excluded.cost_micro`,
  );
  const hours = store.prepare(
    `SELECT start_ms, currency, sum(cost_micro) AS cost_micro FROM spend
     WHERE step_ms = ?4 AND start_ms >= ?1 AND start_ms < ?2 AND (?3 IS NULL OR model = ?3) GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const days = store.prepare(
    `SELECT start_ms, currency, sum(cost_micro) AS cost_micro FROM (
       SELECT start_ms, model, currency, cost_micro FROM spend WHERE step_ms = ?6 AND start_ms >= ?1 AND start_ms < ?2
       UNION ALL SELECT start_ms / 86400000 * 86400000, model, currency, cost_micro FROM spend
         WHERE step_ms = ?5 AND start_ms >= max(?1, ?4) AND start_ms < ?2)
     WHERE ?3 IS NULL OR model = ?3 GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const any = store.prepare('SELECT 1 FROM spend WHERE step_ms = ?1 LIMIT 1');
  const remove = store.prepare('DELETE FROM spend WHERE step_ms = ?1 AND start_ms < ?2');
  const toRow = (row: Parameters<typeof integerOf>[0]): SpendRow => ({
    startMs: integerOf(row, 'start_ms'),
    currency: textOf(row, 'currency') ?? '',
    costMicro: amountOf(row, 'cost_micro'),
  });
  return {
    add: (startMs, model, currency, costMicro) => add.run(startMs, model, currency, costMicro, HOUR_MS),
    addToDays: (fromMs, toMs) => addToDays.run(fromMs, toMs, HOUR_MS),
    hours: (fromMs, toMs, model) => hours.all(fromMs, toMs, model ?? null, HOUR_MS).map(toRow),
    days: (fromMs, toMs, hoursFromMs, model) =>
      days.all(fromMs, toMs, model ?? null, hoursFromMs, HOUR_MS, DAY_MS).map(toRow),
    hasHours: () => any.get(HOUR_MS) !== undefined,
    removeBefore(hourMs, dayMs) {
      remove.run(HOUR_MS, hourMs);
      remove.run(DAY_MS, dayMs);
    },
  };
}
