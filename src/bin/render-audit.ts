/** An entry of an audit log, of every product. */
export interface RenderedEntry {
  readonly seq: number;
  readonly time: string;
  readonly sentence: string;
}

/** Entries of an audit log, a sentence each, in the order in which they are given. Times in UTC. */
export function renderEntries({ entries }: { readonly entries: readonly RenderedEntry[] }): string {
  if (entries.length === 0) return 'There is no entry.\n';
  return entries
    .map(({ seq, time, sentence }) => `${seq}  ${time.slice(0, 19).replace('T', ' ')}  ${sentence}\n`)
    .join('');
}
