import type { KeyRecord, Meter, UsedByKey } from '../../../metering/index.js';
import { adminRoute, answer, type AdminSection } from '../admin-route.js';
import { readCursor, toCursor } from '../cursor.js';
import type { Static } from '../../../schema/index.js';
import { usageTable } from '../../operations/record-tables.js';
import { csvResponse } from '../csv-response.js';
import { CsvText, DEFAULT_PAGE } from '../schemas/paging.js';
import { TopKeys, TopQuery, UsageExport, UsagePage, UsageQuery } from '../schemas/usage.js';
import { namesOfKeys, readUsage, showUsage } from '../../operations/shown-records.js';
import { showSpend, showUsed } from '../shown.js';
import { readSpan } from '../times.js';

/** Keys that are read at once for an export. */
const EXPORT_PAGE = 200;

const list = adminRoute({
  method: 'GET',
  path: '/admin/api/usage',
  summary: 'Sums usage by key, model or day.',
  query: UsageQuery,
  response: UsagePage,
  async handle({ context: { meter }, query }) {
    const { by, key_id: keyId, limit = DEFAULT_PAGE } = query;
    if (by === 'key' && keyId === undefined) {
      const [after] = readCursor<readonly [string]>(query.cursor, ['']) ?? [];
      const { rows, next } = readKeys(meter, query, after, limit);
      return answer({ data: rows, next_cursor: next === undefined ? null : toCursor([next]) });
    }
    return answer({ data: readWhole(meter, query), next_cursor: null });
  },
});

const exported = adminRoute({
  method: 'GET',
  path: '/admin/api/usage/export',
  summary: 'The same as one table of CSV, of at most 100,000 rows. No text of it is a formula for a spreadsheet.',
  query: UsageExport,
  response: CsvText,
  async handle(call) {
    const { context, query } = call;
    const isPaged = query.by === 'key' && query.key_id === undefined;
    const pages = isPaged ? keyPages(context.meter, query) : [readWhole(context.meter, query)];
    return csvResponse(call, `usage-by-${query.by}`, usageTable(query.by), pages);
  },
});

type Asked = Static<typeof UsageExport>;

/** Days are whole: the last one is that in which the span ends. Errors: `invalid_value`. */
function spanOf(query: Asked): { readonly fromMs?: number; readonly toMs?: number } {
  const { fromMs, toMs } = readSpan(query);
  return { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs: toMs - 1 }) };
}

function readKeys(meter: Meter, query: Asked, after: string | undefined, limit: number) {
  const { rows, next } = meter.pages.usageByKey({
    ...spanOf(query),
    ...(query.model !== undefined && { model: query.model }),
    ...(after !== undefined && { after }),
    limit,
  });
  const nameOf = namesOfKeys(meter);
  return { rows: rows.map((row) => showUsage(row, nameOf)), next };
}

function readWhole(meter: Meter, query: Asked) {
  return readUsage(meter, { ...spanOf(query), by: query.by, keyId: query.key_id, model: query.model });
}

function* keyPages(meter: Meter, query: Asked) {
  for (let after: string | undefined; ;) {
    const { rows, next } = readKeys(meter, query, after, EXPORT_PAGE);
    yield rows;
    if (next === undefined) return;
    after = next;
  }
}

const top = adminRoute({
  method: 'GET',
  path: '/admin/api/usage/top-keys',
  summary: 'The keys that used the most in the present day, week, month or ever, and what all used.',
  query: TopQuery,
  response: TopKeys,
  async handle({ context: { meter }, query: { window = 'day', currency, limit = 10 } }) {
    const found = meter.pages.topKeys({ window, limit, ...(currency !== undefined && { currency }) });
    const names = namesOf(found.keys, meter);
    return answer({
      data: found.keys.map((used) => showUsed(used, names)),
      tokens: Number(found.tokens),
      spend: showSpend(found.spend),
    });
  },
});

/** The records of keys that are still there. */
export function namesOf(used: readonly UsedByKey[], { pages }: Meter): ReadonlyMap<string, KeyRecord> {
  return new Map(
    used.flatMap(({ keyId }) => {
      const record = pages.findKey(keyId);
      return record === undefined ? [] : [[keyId, record] as const];
    }),
  );
}

/** The routes of usage. */
export const usage: AdminSection = [list, exported, top];
