import { isAppError, type CodeTable } from '../../base/index.js';
import type { AuditEnd } from './audit-log.js';

/**
 * The outcome of an action by its error: `refused` where the program declined, `failed` where it tried and could not.
 */
export function auditEndOf(error: unknown, tables: readonly CodeTable[]): AuditEnd {
  if (!isAppError(error)) return { outcome: 'failed', reason: 'internal_error' };
  const found = tables.flatMap((table) => table[error.code] ?? [])[0];
  const isRefusal = found !== undefined && (found.who === 'caller' || found.kind === 'aborted');
  return { outcome: isRefusal ? 'refused' : 'failed', reason: error.code };
}
