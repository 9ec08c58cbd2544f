import type { CsvTable } from '../../base/index.js';
import type { HttpResponse } from '../../http/index.js';
import type { AdminCall } from './admin-route.js';

/** Rows of one table: what a spreadsheet opens within seconds, and a fraction of a second of reading for each page. */
export const MAX_CSV_ROWS = 100_000;

/**
 * A table as a file. Pages are read as the client takes them, so that a long one costs no memory; others are served between two
 * pages. One that is longer than `MAX_CSV_ROWS` ends there: `from` and `to` ask for the rest.
 */
export function csvResponse<T>(
  { record }: Pick<AdminCall<unknown, unknown>, 'record'>,
  name: string,
  table: CsvTable<T>,
  pages: Iterable<readonly T[]>,
): HttpResponse {
  record.isStream = true;
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}.csv"`,
      'cache-control': 'no-store',
      'x-max-rows': String(MAX_CSV_ROWS),
    },
    body: lines(table, pages),
  };
}

async function* lines<T>({ header, line }: CsvTable<T>, pages: Iterable<readonly T[]>): AsyncGenerator<string, void> {
  yield header;
  let left = MAX_CSV_ROWS;
  for (const rows of pages) {
    const text = rows.slice(0, left).map(line).join('');
    left -= rows.length;
    if (text !== '') yield text;
    if (left <= 0) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
