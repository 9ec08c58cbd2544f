import type { AuditEnd, AuditEvent } from '../../metering/index.js';
import { toAuditEnd } from '../audit/to-audit-end.js';
import type { AdminCall } from './admin-route.js';

/**
 * Does a change, with one entry in the audit log that has its outcome: `ok`, `refused` or `failed`. `endOf` judges a
 * value that is no success. Errors: `audit_unavailable`, and then nothing was done; those of `work`.
 */
export function audited<T>(
  { context, record }: Pick<AdminCall<unknown, unknown>, 'context' | 'record'>,
  event: Pick<AuditEvent, 'action' | 'target' | 'diff'>,
  work: () => T | Promise<T>,
  endOf?: (value: T) => AuditEnd,
): Promise<T> {
  const actor = record.by ?? { kind: 'admin' };
  return context.meter.audit.during({ ...event, actor }, work, (ended) => toAuditEnd(ended, endOf));
}
