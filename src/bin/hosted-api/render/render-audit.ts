import { renderEntries as renderInOrder, type RenderedEntry } from '../../render-audit.js';

/** Entries, of which the newest are given first, in their order. */
export function renderEntries({ entries }: { readonly entries: readonly RenderedEntry[] }): string {
  return renderInOrder({ entries: entries.toReversed() });
}
