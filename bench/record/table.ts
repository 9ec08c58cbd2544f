/** A cell of a table. Numbers are shown with three significant digits, undefined as a dash. */
export type Cell = string | number | undefined;

/** Rows as a Markdown table, columns padded so that a terminal shows it well too. Columns of numbers are set right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [head, ...rows.map((row) => head.map((_, column) => toText(row[column])))];
  const widths = head.map((_, column) => Math.max(3, ...texts.map((row) => (row[column] ?? '').length)));
  const isRight = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof (row[column] ?? 0) === 'number'),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, i) => (isRight[i] === true ? (row[i] ?? '').padStart(width) : (row[i] ?? '').padEnd(width))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (isRight[i] === true ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2))).join('|')}|`;
  const [first = [], ...others] = texts;
  return [line(first), rule, ...others.map(line)].join('\n');
}

function toText(cell: Cell): string {
  if (cell === undefined) return '–';
  // A bar would end the cell.
  if (typeof cell === 'string') return cell.replaceAll('|', '\\|');
  if (!Number.isFinite(cell)) return '–';
  return Math.abs(cell) >= 100 ? Math.round(cell).toLocaleString('en') : String(Number(cell.toPrecision(3)));
}
