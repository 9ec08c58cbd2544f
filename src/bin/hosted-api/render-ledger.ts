/** What a check of the books found. */
export function renderVerified(found: {
  readonly ok: boolean;
  readonly groups: number;
  readonly entries: number;
  readonly faults: readonly string[];
}): string {
  const { ok, groups, entries, faults } = found;
  const looked = `${groups} ${groups === 1 ? 'group' : 'groups'} with ${entries} entries`;
  if (ok)
    return `The books are right: ${looked}, every sum is zero, every balance is its entries, the chain is whole.\n`;
  return `The books are wrong (${looked}):\n${faults.map((fault) => `  ${fault}\n`).join('')}`;
}

/** What was written. */
export function renderExported({ path, groups }: { readonly path: string; readonly groups: number }): string {
  return `${groups} ${groups === 1 ? 'group of the ledger is' : 'groups of the ledger are'} in ${path}.\n`;
}
