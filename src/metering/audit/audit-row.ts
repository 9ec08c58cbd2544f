import { numberOf, textOf, type Row } from '../../database/index.js';
import type { AuditEntry } from './audit-entry.js';

/** An entry as it is read. */
export function toAuditEntry(row: Row): AuditEntry {
  return {
    seq: numberOf(row, 'seq'),
    atMs: numberOf(row, 'ts_ms'),
    actor: textOf(row, 'actor') ?? '',
    action: textOf(row, 'action') ?? '',
    target: textOf(row, 'target') ?? '',
    outcome: textOf(row, 'outcome') ?? '',
    reason: textOf(row, 'reason') ?? '',
    diff: textOf(row, 'diff') ?? '',
    prevHash: textOf(row, 'prev_hash') ?? '',
    hash: textOf(row, 'hash') ?? '',
  };
}
