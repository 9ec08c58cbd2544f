import { AUDIT_BATCH, exportEntries } from '../../../metering/index.js';
import { adminRoute, answer, type AdminSection } from '../admin-route.js';
import { audited } from '../audited.js';
import { readCursor, toCursor } from '../cursor.js';
import { AuditExport, AuditPage, AuditQuery, AuditVerdict, ShownEntry } from '../schemas/audit.js';
import { DEFAULT_PAGE } from '../schemas/paging.js';
import { showEntry } from '../../operations/shown-records.js';
import { readSpan } from '../times.js';

const list = adminRoute({
  method: 'GET',
  path: '/admin/api/audit',
  summary: 'Lists entries of the audit log by filters, the newest first.',
  query: AuditQuery,
  response: AuditPage,
  async handle({ context, query }) {
    const { actor, action, target, outcome, limit = DEFAULT_PAGE } = query;
    const [before] = readCursor<readonly [number]>(query.cursor, [0]) ?? [];
    const { entries, next } = context.meter.audit.page({
      ...(actor !== undefined && { actor }),
      ...(action !== undefined && { action }),
      ...(target !== undefined && { target }),
      ...(outcome !== undefined && { outcome }),
      ...readSpan(query),
      ...(before !== undefined && { before }),
      limit,
    });
    return answer({ data: entries.map(showEntry), next_cursor: next === undefined ? null : toCursor([next]) });
  },
});

const verify = adminRoute({
  method: 'POST',
  path: '/admin/api/audit/verify',
  summary: 'Checks that every entry follows from the one before it.',
  isSafe: true,
  response: AuditVerdict,
  async handle({ context }) {
    const { ok, entries, firstBad } = await context.meter.audit.verify();
    return answer({ ok, entries, first_bad: firstBad ?? null });
  },
});

const exported = adminRoute({
  method: 'GET',
  path: '/admin/api/audit/export',
  summary:
    'All entries, or those of a time, in their order: one JSON object a line, and a last one with their number and SHA-256.',
  query: AuditExport,
  response: ShownEntry,
  async handle(call) {
    const { audit } = call.context.meter;
    // The log records who exported it.
    await audited(call, { action: 'audit.export', target: 'audit' }, () => undefined);
    call.record.isStream = true;
    return {
      status: 200,
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename="audit.ndjson"',
        'cache-control': 'no-store',
      },
      body: exportEntries((after) => audit.read({ after, limit: AUDIT_BATCH }).map(showEntry), readSpan(call.query)),
    };
  },
});

/** The audit log. */
export const audit: AdminSection = [list, verify, exported];
