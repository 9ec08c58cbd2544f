import type { KeyRecord, Meter, UsedByKey } from '../../../metering/index.js';
import { adminRoute, answer, type AdminSection } from '../admin-route.js';
import { readCursor, toCursor } from '../cursor.js';
import { DEFAULT_PAGE } from '../schemas/paging.js';
import { TopKeys, TopQuery, UsagePage, UsageQuery } from '../schemas/usage.js';
import { showUsage } from '../../operations/shown-records.js';
import { showSpend, showUsed } from '../shown.js';
import { readSpan } from '../times.js';

const list = adminRoute({
  method: 'GET',
  path: '/admin/api/usage',
  summary: 'Sums what was used by key, model or day.',
  query: UsageQuery,
  response: UsagePage,
  async handle({ context: { meter }, query }) {
    const { by, model, key_id: keyId, limit = DEFAULT_PAGE } = query;
    const { fromMs, toMs } = readSpan(query);
    // Days are whole: the last one is that in which the span ends.
    const span = { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs: toMs - 1 }) };
    if (by === 'key' && keyId === undefined) {
      const [after] = readCursor<readonly [string]>(query.cursor, ['']) ?? [];
      const { rows, next } = meter.pages.usageByKey({
        ...span,
        ...(model !== undefined && { model }),
        ...(after !== undefined && { after }),
        limit,
      });
      return answer({ data: rows.map(showUsage), next_cursor: next === undefined ? null : toCursor([next]) });
    }
    const rows = meter.usage({
      by,
      ...(span.fromMs !== undefined && { from: span.fromMs }),
      ...(span.toMs !== undefined && { to: span.toMs }),
      ...(keyId !== undefined && { keyId }),
      ...(model !== undefined && { model }),
    });
    return answer({ data: rows.map(showUsage), next_cursor: null });
  },
});

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

/** What was used. */
export const usage: AdminSection = [list, top];
