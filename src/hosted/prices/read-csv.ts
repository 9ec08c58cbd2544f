/** A record of a CSV file, and the line on which it begins, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Records of comma-separated text; cells may be quoted, with inner quotes doubled. Skips blank lines. `refuse` makes
 * the error of a quote that is unclosed or misplaced. Source: RFC 4180.
 */
export function readCsv(text: string, refuse: (line: number, why: string) => Error): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  let [line, start, cell, isQuoted, wasQuoted] = [1, 1, '', false, false];
  let cells: string[] = [];
  const endCell = (): void => {
    cells.push(wasQuoted ? cell : cell.trim());
    [cell, wasQuoted] = ['', false];
  };
  const endRecord = (): void => {
    endCell();
    if (cells.length > 1 || cells[0] !== '') records.push({ line: start, cells });
    cells = [];
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\n') line++;
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') cell += text[i++];
      else isQuoted = false;
    } else if (char === '"') {
      if (cell.trim() !== '' || wasQuoted) throw refuse(line, 'has a quote in the middle of a cell');
      [cell, isQuoted, wasQuoted] = ['', true, true];
    } else if (char === ',') endCell();
    else if (char === '\n') {
      endRecord();
      start = line;
    } else if (wasQuoted && char?.trim() !== '') throw refuse(line, 'has characters behind a closing quote');
    else if (char !== '\r' && !wasQuoted) cell += char;
  }
  if (isQuoted) throw refuse(start, 'has a quote that is not closed');
  endRecord();
  return records;
}
