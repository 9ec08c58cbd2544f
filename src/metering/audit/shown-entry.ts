import { toCsvTable, type CsvTable } from '../../base/index.js';
import type { AuditEntry } from './audit-entry.js';
import { entrySentence, type AuditWords } from './entry-sentence.js';

/**
 * An entry of the audit log as operators see it, in every product: its diff as a value, and the whole entry as a
 * sentence.
 */
export function showAuditEntry(entry: AuditEntry, words: AuditWords) {
  const { seq, atMs, actor, action, target, outcome, reason, diff, prevHash, hash } = entry;
  return {
    seq,
    time: new Date(atMs).toISOString(),
    sentence: entrySentence(entry, words),
    actor,
    action,
    target,
    outcome,
    reason,
    diff: parseDiff(diff),
    prev_hash: prevHash,
    hash,
  };
}

/** An entry as operators see it. */
export type ShownAuditEntry = ReturnType<typeof showAuditEntry>;

/** Entries as a table. */
export const auditTable: CsvTable<ShownAuditEntry> = toCsvTable([
  ['seq', ({ seq }) => seq],
  ['time', ({ time }) => time],
  ['sentence', ({ sentence }) => sentence],
  ['actor', ({ actor }) => actor],
  ['action', ({ action }) => action],
  ['target', ({ target }) => target],
  ['outcome', ({ outcome }) => outcome],
  ['reason', ({ reason }) => reason],
  ['diff', ({ diff }) => JSON.stringify(diff)],
  ['hash', ({ hash }) => hash],
]);

/** A text that is not JSON appears unchanged. */
function parseDiff(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
