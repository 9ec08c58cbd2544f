/** What a check of an audit log found, of every product. */
export interface AuditCheckResult {
  readonly ok: boolean;
  readonly entries: number;
  readonly first_bad: number | null;
}

/** The same in words. */
export function renderAuditCheck({ ok, entries, first_bad: firstBad }: AuditCheckResult): string {
  if (!ok) return `The audit log was changed: entry ${String(firstBad)} does not follow from the one before it.\n`;
  const counted = entries === 1 ? 'entry' : 'entries, each with the hash of the one before it';
  return `The audit log is whole: ${entries} ${counted}.\n`;
}
