/** One cell: a text, a number, or nothing. */
export type CsvCell = string | number | bigint | boolean | null;

/** Columns of a table: the name of each, and its cell of a row. */
export type CsvColumns<T> = readonly (readonly [string, (row: T) => CsvCell])[];

/** A table of CSV: its first line, and the line of a row. */
export interface CsvTable<T> {
  readonly header: string;
  readonly line: (row: T) => string;
}

/** A table of these columns. */
export function toCsvTable<T>(columns: CsvColumns<T>): CsvTable<T> {
  return {
    header: toCsvLine(columns.map(([name]) => name)),
    line: (row) => toCsvLine(columns.map(([, cell]) => cell(row))),
  };
}

/** Start of a text that a spreadsheet reads as a formula. Source: OWASP, CSV Injection. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * A line of CSV with its end, in the format of RFC 4180. A text that a spreadsheet would run as a formula gets a
 * leading apostrophe; numbers stay numbers.
 */
export function toCsvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

function toCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /["\r\n,;\t]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
