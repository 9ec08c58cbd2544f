import { toCsvLine, type CsvCell } from '../../base/index.js';

/** Members of rows that are amounts: a spreadsheet shall take them as numbers. */
const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'cost']);

/**
 * Rows as CSV, with columns in the order of `columns`. A column that is empty in every row is left out. Amounts are
 * numbers: a text that begins with a minus would be quoted as text.
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
