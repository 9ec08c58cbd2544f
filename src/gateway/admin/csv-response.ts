import type { CsvTable } from '../../base/index.js';
import type { HttpResponse } from '../../http/index.js';
import type { AdminCall } from './admin-route.js';

/**
 * Rows of one table: a spreadsheet opens as many within seconds, and each page takes a fraction of a second to read.
 */
export const MAX_CSV_ROWS = 100_000;

/**
 * A table as a file. Pages are read as the client takes them: a long table costs no memory, and other requests run
 * between two pages. A longer table ends at `MAX_CSV_ROWS`: `from` and `to` ask for the rest.
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
