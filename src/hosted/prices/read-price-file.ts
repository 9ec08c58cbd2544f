import { extname } from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { AppError, nearest } from '../../base/index.js';
import { PRICE_FIELDS, readPriceRow, type PriceField, type PriceRow, type ReadPrice } from './price-row.js';

/** Prices of one file: a provider has hundreds of models. */
export const MAX_IMPORTED = 10_000;
/** Mistakes in one error. */
const MAX_TOLD = 20;
/** Aliases make a small text a large one. */
const MAX_ALIASES = 0;

/**
 * The prices of a file of CSV, YAML or JSON, by the end of its name. Errors: `prices_invalid`, with the line and the field of
 * each mistake.
 */
export function readPriceFile(text: string, path: string): readonly ReadPrice[] {
  const problems: string[] = [];
  const rows = extname(path).toLowerCase() === '.csv' ? csvRows(text, path, problems) : yamlRows(text, path, problems);
  const prices = rows.flatMap((row) => {
    const price = readPriceRow(row, (field, problem) => problems.push(`${path}:${row.line}: ${field} ${problem}`));
    return price === undefined ? [] : [price];
  });
  findRepeated(rows, path, problems);
  if (problems.length === 0 && prices.length === 0) problems.push(`${path} has no price`);
  if (prices.length > MAX_IMPORTED) problems.push(`${path} has ${prices.length} prices; the limit is ${MAX_IMPORTED}`);
  if (problems.length > 0) throw invalid(problems);
  return prices;
}

function csvRows(text: string, path: string, problems: string[]): readonly PriceRow[] {
  const [header, ...records] = readCsv(text.replace(/^\ufeff/, ''), (line, why) =>
    invalid([`${path}:${line}: ${why}`]),
  );
  const names = header?.cells ?? [];
  for (const name of names) if (!isField(name)) problems.push(`${path}:1: ${unknownField(name)}`);
  return records.map(({ line, cells }) => {
    if (cells.length > names.length)
      problems.push(`${path}:${line}: has ${cells.length} cells under ${names.length} names`);
    const pairs = names.map((name, i) => [name, cells[i] ?? ''] as const);
    return { line, fields: Object.fromEntries(pairs.filter(([name, value]) => isField(name) && value !== '')) };
  });
}

/** A list of prices, or `prices:` with one. Scalars keep their spelling: 0.10 is not read as a double. */
function yamlRows(text: string, path: string, problems: string[]): readonly PriceRow[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true, schema: 'failsafe' });
  const place = (offset: number | undefined): number => lines.linePos(offset ?? 0).line;
  for (const error of document.errors)
    problems.push(`${path}:${place(error.pos[0])}: ${error.message.split('\n', 1)[0]}`);
  if (problems.length > 0) return [];
  checkAliases(document, path);
  const root = document.contents;
  const list = isMap(root) ? root.get('prices', true) : root;
  if (!isSeq(list)) {
    problems.push(`${path}: is no list of prices, and has none under prices:`);
    return [];
  }
  return list.items.map((item) => {
    const line = place((item as { range?: readonly number[] } | null)?.range?.[0]);
    const fields: Partial<Record<PriceField, string>> = {};
    if (!isMap(item))
      problems.push(`${path}:${line}: is no price: an object with provider, model, currency, input, output`);
    for (const pair of isMap(item) ? item.items : []) {
      const name = isScalar(pair.key) ? String(pair.key.value) : '';
      if (!isField(name)) problems.push(`${path}:${line}: ${unknownField(name)}`);
      else if (!isScalar(pair.value)) problems.push(`${path}:${line}: ${name} must be a single value`);
      else fields[name] = String(pair.value.value);
    }
    return { line, fields };
  });
}

function checkAliases(document: Document, path: string): void {
  try {
    document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    throw invalid([`${path}: has aliases; write each price by itself`]);
  }
}

function findRepeated(rows: readonly PriceRow[], path: string, problems: string[]): void {
  const seen = new Map<string, number>();
  for (const { line, fields } of rows) {
    const name = `${fields.provider} ${fields.model} ${fields.effective_from ?? ''}`;
    const before = seen.get(name);
    if (before !== undefined) problems.push(`${path}:${line}: is for the same model and time as line ${before}`);
    seen.set(name, line);
  }
}

function isField(name: string): name is PriceField {
  return (PRICE_FIELDS as readonly string[]).includes(name);
}

function unknownField(name: string): string {
  const shown = /^\w{1,40}$/.test(name) ? name : 'a field';
  const near = nearest(name.slice(0, 64), PRICE_FIELDS);
  return `${shown} is no field of a price; ${near === undefined ? `they are ${PRICE_FIELDS.join(', ')}` : `the nearest is ${near}`}`;
}

function invalid(problems: readonly string[]): AppError {
  const told = problems.slice(0, MAX_TOLD);
  const rest = problems.length > MAX_TOLD ? [`and ${problems.length - MAX_TOLD} more`] : [];
  return new AppError('prices_invalid', [...told, ...rest].join('\n'), { problems: problems.length });
}

/** A record of a CSV file, and the line on which it begins, from 1. */
interface CsvRecord {
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
