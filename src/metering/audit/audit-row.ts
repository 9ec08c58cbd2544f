import { integerOf, textOf, type Row } from '../../database/index.js';
import type { AuditEntry } from './audit-entry.js';

/** An entry from a row. `time`: the column of its time. */
export function toAuditEntry(row: Row, time = 'ts_ms'): AuditEntry {
  return {
    seq: integerOf(row, 'seq'),
    atMs: integerOf(row, time),
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
