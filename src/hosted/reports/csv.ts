import { toCsvLine, type CsvCell } from '../../base/index.js';

/** Members of rows that are amounts: a spreadsheet shall take them as numbers. */
const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'cost']);

/**
 * Rows as CSV, with their members in the order of `columns`: those that no row has are left out. Amounts are numbers, since
 * a text that begins with a minus would be written as a text.
 */
export function toCsv(rows: readonly object[], columns: readonly string[]): string {
  const used = rows.length === 0 ? columns : columns.filter((name) => rows.some((row) => name in row));
  const lines = rows.map((row) => toCsvLine(used.map((name) => toCell(name, (row as Record<string, unknown>)[name]))));
  return toCsvLine(used) + lines.join('');
}

function toCell(name: string, value: unknown): CsvCell {
  if (typeof value === 'string') return AMOUNTS.has(name) ? Number(value) : value;
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
