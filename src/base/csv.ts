/** One cell: a text, a number, or nothing. */
export type CsvCell = string | number | bigint | boolean | null;

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
