/** A table of texts in columns that are as wide as what is in them; `rightAligned`: numbers of columns. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  rightAligned: readonly number[] = [],
): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const toLine = (line: readonly string[]): string =>
    widths
      .map((width, column) => {
        const text = line[column] ?? '';
        return rightAligned.includes(column) ? text.padStart(width) : text.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return lines.map((line) => `${toLine(line)}\n`).join('');
}
