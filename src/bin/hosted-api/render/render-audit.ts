import { renderEntries as renderInOrder, type ShownEntry } from '../../render-audit.js';

/** Entries, of which the newest are given first, in their order. */
export function renderEntries({ entries }: { readonly entries: readonly ShownEntry[] }): string {
  return renderInOrder({ entries: entries.toReversed() });
}
