import { showAuditEntry, type AuditEntry } from '../../metering/index.js';
import { Type } from '../../schema/index.js';
import { AuditFileAsked, auditFilters, toWanted } from '../audit/audit-file.js';
import { hostedWords } from '../audit/hosted-words.js';
import { operation, pageFields } from './operation.js';

/** A whole entry as a sentence. */
export const showEntry = (entry: AuditEntry) => showAuditEntry(entry, hostedWords);

/** The audit log, the newest entry first. */
export const listAudit = operation({
  params: Type.Object({ ...pageFields, ...auditFilters }),
  async run({ billing }, { cursor, limit, ...asked }) {
    const page = { ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) };
    const { items, next = null } = await billing.audit.list({ ...page, ...toWanted(asked) });
    return { entries: items.map(showEntry), next };
  },
});

/** Entries behind a number, in their order: all of them, in parts, are the log. */
export const readAudit = operation({
  params: Type.Object({ after: Type.Integer({ minimum: 0 }) }),
  run: async ({ billing }, { after }) => ({ entries: (await billing.audit.read(after)).map(showEntry) }),
});

/** Whether every entry follows from the one before it. */
export const verifyAudit = operation({
  params: Type.Object({}),
  async run({ billing }) {
    const { ok, entries, firstBad = null } = await billing.audit.verify();
    return { ok, entries, first_bad: firstBad };
  },
});

/** Records who exports the log. The export then reads it in parts. */
export const beginAuditExport = operation({
  params: AuditFileAsked,
  async run({ billing, by }, asked) {
    await billing.audit.record({ actor: by, action: 'audit.export', target: 'audit', diff: { ...asked } });
    return {};
  },
});
