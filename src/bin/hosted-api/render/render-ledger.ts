import { counted, plural } from '../../../words/index.js';

/** The result of a check of the books. */
export function renderVerified(found: {
  readonly ok: boolean;
  readonly groups: number;
  readonly entries: number;
  readonly faults: readonly string[];
}): string {
  const { ok, groups, entries, faults } = found;
  const looked = `${counted(groups, 'group')} with ${counted(entries, 'entry', 'entries')}`;
  if (ok)
    return `The books are right: ${looked}, every sum is zero, every balance is its entries, the chain is whole.\n`;
  return `The books are wrong (${looked}):\n${faults.map((fault) => `  ${fault}\n`).join('')}`;
}

/** The result of an export. */
export function renderExported(written: {
  readonly path: string;
  readonly groups: number;
  readonly kept: number;
  readonly replaced: number;
}): string {
  const { path, groups, kept, replaced } = written;
  const count = (many: number): string => counted(many, 'group');
  const verb = (many: number): string => plural(many, 'was', 'were');
  if (kept > 0) return `${count(groups)} of the ledger ${verb(groups)} added to ${path}, which had ${count(kept)}.\n`;
  const before = replaced > 0 ? ` The ${count(replaced)} that it had ${verb(replaced)} replaced.` : '';
  return `${count(groups)} of the ledger ${plural(groups, 'is', 'are')} in ${path}.${before}\n`;
}
