import type { HttpResponse } from '../../http/index.js';
import { Type } from '../../schema/index.js';
import { toCsv } from '../reports/csv.js';
import { SERVICE_ID_HEADER } from '../sync/fetch-models.js';

/** How an answer is written. */
export const formatField = {
  format: Type.Optional(Type.Enum(['json', 'csv'], { description: 'json, or csv for a spreadsheet; default json' })),
};

/** The cursor behind a page of a list that is sent as a file. */
const NEXT_CURSOR = 'x-next-cursor';

/** Rows as a file of CSV. `next`: the cursor of the page behind it. */
export function csvResponse(
  serviceId: string,
  rows: readonly object[],
  columns: readonly string[],
  next: string | null = null,
): HttpResponse {
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'cache-control': 'no-store',
    [SERVICE_ID_HEADER]: serviceId,
    ...(next !== null && { [NEXT_CURSOR]: next }),
  };
  return { status: 200, headers, body: toCsv(rows, columns) };
}
