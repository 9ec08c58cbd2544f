import type { LoggedRequest, Meter, RequestCursor } from '../../../metering/index.js';
import type { Static } from '../../../schema/index.js';
import { requestTable } from '../../operations/record-tables.js';
import { toTime } from '../../operations/shown-key.js';
import { namesOfKeys, showRequest } from '../../operations/shown-records.js';
import { adminRoute, answer, unknownResource, type AdminSection } from '../admin-route.js';
import { readCursor, toCursor } from '../cursor.js';
import { csvResponse } from '../csv-response.js';
import { CsvText, DEFAULT_PAGE } from '../schemas/paging.js';
import { OneRequest, RequestExport, RequestPage, RequestQuery } from '../schemas/requests.js';
import { readSpan } from '../times.js';

/** Rows that are read at once for an export. */
const EXPORT_PAGE = 500;

const list = adminRoute({
  method: 'GET',
  path: '/admin/api/requests',
  summary: 'Lists requests by filters: metadata, no prompts and no answers.',
  query: RequestQuery,
  response: RequestPage,
  async handle({ context: { meter }, query }) {
    const place = readCursor<readonly [number, number]>(query.cursor, [0, 0]);
    const { rows, next } = meter.pages.requests({
      ...toPageQuery(query),
      ...(place !== undefined && { after: { atMs: place[0], seq: place[1] } }),
      limit: query.limit ?? DEFAULT_PAGE,
    });
    const nameOf = namesOfKeys(meter);
    return answer({
      data: rows.map((row) => showRequest(row, nameOf)),
      next_cursor: next === undefined ? null : toCursor([next.atMs, next.seq]),
    });
  },
});

const exported = adminRoute({
  method: 'GET',
  path: '/admin/api/requests/export',
  summary: 'The same as one table of CSV, of at most 100,000 rows. No text of it is a formula for a spreadsheet.',
  query: RequestExport,
  response: CsvText,
  async handle(call) {
    return csvResponse(call, 'requests', requestTable, readPages(call.context.meter, toPageQuery(call.query)));
  },
});

/** The filters of a query. Errors: `invalid_value`. */
function toPageQuery(query: Static<typeof RequestExport>) {
  const { key_id: keyId, model, runtime, request_id: requestId, status, error_code: errorCode, failed } = query;
  return {
    ...(keyId !== undefined && { keyId }),
    ...(model !== undefined && { model }),
    ...(runtime !== undefined && { runtimeId: runtime }),
    ...(requestId !== undefined && { requestId }),
    ...(status !== undefined && { status }),
    ...(errorCode !== undefined && { errorCode }),
    ...(failed === true && { isFailed: true }),
    ...readSpan(query),
    ...(query.order === 'asc' && { ascending: true }),
  };
}

function* readPages(meter: Meter, query: ReturnType<typeof toPageQuery>) {
  const nameOf = namesOfKeys(meter);
  for (let after: RequestCursor | undefined; ;) {
    const { rows, next } = meter.pages.requests({
      ...query,
      ...(after !== undefined && { after }),
      limit: EXPORT_PAGE,
    });
    yield rows.map((row) => showRequest(row, nameOf));
    if (next === undefined) return;
    after = next;
  }
}

const show = adminRoute({
  method: 'GET',
  path: '/admin/api/requests/{seq}',
  summary: 'Shows one request and what happened to it, in its order.',
  response: OneRequest,
  async handle({ context, params }) {
    const given = params['seq'] ?? '';
    const row = /^\d{1,15}$/.test(given) ? context.meter.pages.request(Number(given)) : undefined;
    if (row === undefined) throw unknownResource('request', given, 'GET /admin/api/requests');
    return answer({
      request: showRequest(row, namesOfKeys(context.meter)),
      attempts: row.attempts ?? null,
      tokens_per_s: speedOf(row),
      timeline: timelineOf(row),
    });
  },
});

/** Completion tokens a second, from the first byte on; null where that is not known. */
function speedOf({ isStream, completionTokens, ttftMs, durationMs }: LoggedRequest): number | null {
  if (durationMs === undefined || completionTokens === 0) return null;
  const ms = isStream && ttftMs !== undefined ? durationMs - ttftMs : durationMs;
  return ms <= 0 ? null : Math.round((completionTokens / ms) * 10_000) / 10;
}

function timelineOf(row: LoggedRequest) {
  const { atMs, admittedMs, ttftMs, durationMs, attempts = 1, runtimeId, isAborted, errorCode, status } = row;
  const end = isAborted ? 'the client left' : (errorCode ?? `status ${status ?? 'unknown'}`);
  const sent = attempts > 1 ? `sent ${attempts} times` : null;
  const steps = [
    { event: 'received', ms: 0, note: null },
    { event: 'admitted', ms: admittedMs, note: null },
    { event: 'first_byte', ms: ttftMs, note: [runtimeId, sent].filter(Boolean).join(', ') || null },
    { event: 'ended', ms: durationMs, note: end },
  ] as const;
  return steps.flatMap(({ event, ms, note }) =>
    ms === undefined ? [] : [{ event, at_ms: ms, time: toTime(atMs + ms), note }],
  );
}

/** The request log. */
export const requests: AdminSection = [list, exported, show];
