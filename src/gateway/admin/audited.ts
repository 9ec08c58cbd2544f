import { toErrorData } from '../../base/index.js';
import type { AuditEvent } from '../../metering/index.js';
import type { AdminCall } from './admin-route.js';

/**
 * Does what changes something: it is in the audit log before it is done, and where it then fails, that is too. Errors:
 * `audit_unavailable`, and then nothing was done; those of `work`.
 */
export async function audited<T>(
  { context, record }: Pick<AdminCall<unknown, unknown>, 'context' | 'record'>,
  event: Pick<AuditEvent, 'action' | 'target' | 'diff'>,
  work: () => T | Promise<T>,
): Promise<T> {
  const { audit } = context.meter;
  const actor = record.by ?? { kind: 'admin' };
  await audit.append({ ...event, actor, outcome: 'ok' });
  try {
    return await work();
  } catch (error) {
    const { code } = toErrorData(error);
    await audit.append({ action: event.action, target: event.target, actor, outcome: 'failed', reason: code });
    throw error;
  }
}
