import type { Terminal } from './terminal.js';

/** A table of texts with columns as wide as their content; `rightAligned`: numbers of columns. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  rightAligned: readonly number[] = [],
): string {
  const lines = [header, ...rows];
  const widths = widthsOf(lines);
  const toLine = (line: readonly string[]): string =>
    widths
      .map((width, column) => {
        const text = line[column] ?? '';
        return rightAligned.includes(column) ? text.padStart(width) : text.padEnd(width);
      })
      .join(GAP)
      .trimEnd();
  return lines.map((line) => `${toLine(line)}\n`).join('');
}

const GAP = '  ';
/** Shortest cut of a name. */
const MIN_NAME = 12;

/** How a table fits into a window. */
export interface Fit {
  /** Columns of the window; undefined: no limit, for a file or a pipe. */
  readonly width: number | undefined;
  readonly rightAligned?: readonly number[];
  /** Columns that may be left out of a narrow window, the first one first. */
  readonly droppable?: readonly number[];
}

/** The same in a window: a narrow one loses columns, and then the first column is cut. */
export function fitTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { width, rightAligned = [], droppable = [] }: Fit,
): string {
  if (width === undefined) return renderTable(header, rows, rightAligned);
  const lines = [header, ...rows];
  const all = widthsOf(lines);
  const kept = new Set(header.keys());
  const total = (): number => [...kept].reduce((sum, column) => sum + (all[column] ?? 0) + GAP.length, -GAP.length);
  for (const column of droppable) if (total() > width) kept.delete(column);
  const room = Math.max(MIN_NAME, (all[0] ?? 0) - Math.max(0, total() - width));
  const pick = (line: readonly string[]): string[] =>
    [...kept].map((column) => (column === 0 ? cut(line[0] ?? '', room) : (line[column] ?? '')));
  const columns = [...kept];
  const aligned = rightAligned.map((column) => columns.indexOf(column)).filter((column) => column >= 0);
  return renderTable(pick(header), rows.map(pick), aligned);
}

/** Columns of a window; undefined where the output is no terminal and COLUMNS is not set. */
export function windowWidth({ stdout, env }: Pick<Terminal, 'stdout' | 'env'>): number | undefined {
  const asked = /^[1-9]\d{0,5}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : 0;
  if (asked > 0) return asked;
  return stdout.isTTY ? stdout.columns || 80 : undefined;
}

/** A text of at most `length` characters, with a sign for the omitted middle: the end of a name is more specific. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 2);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}

function widthsOf(lines: readonly (readonly string[])[]): number[] {
  return (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
}
