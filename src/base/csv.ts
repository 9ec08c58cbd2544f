/** One cell: a text, a number, or nothing. */
export type CsvCell = string | number | bigint | boolean | null;

/** A text that begins so is a formula for a spreadsheet. Source: OWASP, CSV Injection. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * A line of CSV with its end, as RFC 4180 writes it. A text that a spreadsheet would run as a formula gets an apostrophe before
 * it; numbers stay numbers.
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
