import type { AuditEnd, AuditEvent } from '../../metering/index.js';
import { toAuditEnd } from '../audit/to-audit-end.js';
import type { AdminCall } from './admin-route.js';

/**
 * Makes a change, and writes one entry with its outcome: `ok`, `refused` or `failed`. `endOf` classifies a value that
 * is no success. Errors: `audit_unavailable` before anything was changed; those of `work`.
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
