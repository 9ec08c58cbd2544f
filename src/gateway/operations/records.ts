import { toErrorData } from '../../base/index.js';
import { Type } from '../../schema/index.js';
import { operation } from './operation.js';
import { namesOfKeys, readUsage, showEntry, showRequest } from './shown-records.js';

/** Rows of one answer. */
const MAX_ROWS = 10_000;
const After = Type.Optional(Type.Integer({ minimum: 0 }));
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ROWS }));
const Name = Type.Optional(Type.String({ minLength: 1, maxLength: 300 }));

/** Usage, by key, model or day, of the days that `from_ms` and the moment before `to_ms` lie in and those between them. */
export const usage = operation({
  params: Type.Object({
    by: Type.Enum(['key', 'model', 'day']),
    from_ms: Type.Optional(Type.Integer()),
    to_ms: Type.Optional(Type.Integer({ minimum: 1 })),
    key_id: Name,
    model: Name,
  }),
  run: ({ meter }, { by, from_ms: fromMs, to_ms: toMs, key_id: keyId, model }) => ({
    usage: readUsage(meter, { by, fromMs, toMs: toMs === undefined ? undefined : toMs - 1, keyId, model }),
  }),
});

/** The request log: metadata only. Behind `after`, or the newest of a time, in the order of the log. */
export const requests = operation({
  params: Type.Object({
    after: After,
    limit: Limit,
    key_id: Name,
    from_ms: Type.Optional(Type.Integer()),
    to_ms: Type.Optional(Type.Integer()),
  }),
  run({ meter }, { after, limit = 50, key_id: keyId, from_ms: fromMs, to_ms: toMs }) {
    const ofKey = { limit, ...(keyId !== undefined && { keyId }) };
    const time = { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) };
    const rows =
      after === undefined && Object.keys(time).length > 0
        ? meter.pages.requests({ ...ofKey, ...time }).rows.toReversed()
        : meter.requests({ ...ofKey, ...(after !== undefined && { after }) });
    const nameOf = namesOfKeys(meter);
    return { requests: rows.map((row) => showRequest(row, nameOf)) };
  },
});

/** Whether every entry of the audit log follows from the one before it. */
export const verifyAudit = operation({
  params: Type.Object({}),
  async run({ meter }) {
    const { entries, ok, firstBad } = await meter.audit.verify();
    return { ok, entries, first_bad: firstBad ?? null };
  },
});

/** Entries of the audit log. */
export const readAudit = operation({
  params: Type.Object({ after: After, limit: Limit }),
  run({ meter }, { after, limit = 50 }) {
    const entries = meter.audit.read({ limit, ...(after !== undefined && { after }) });
    return { entries: entries.map(showEntry) };
  },
});

/**
 * A copy of both databases in a new directory. The audit entry is written after it: the copy ends with complete entries
 * only.
 */
export const backup = operation({
  params: Type.Object({ directory: Type.String({ minLength: 1, maxLength: 4_096 }) }),
  async run({ meter, by }, { directory }) {
    const event = { actor: by, action: 'backup.create', target: 'gateway', diff: { directory } };
    try {
      await meter.backup(directory);
    } catch (error) {
      await meter.audit.append({ ...event, outcome: 'failed', reason: toErrorData(error).code });
      throw error;
    }
    await meter.audit.append({ ...event, outcome: 'ok' });
    return { directory };
  },
});
