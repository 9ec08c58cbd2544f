import { renderTable } from '../../cli/index.js';
import type { ShownRequest, ShownUsage } from '../../gateway/index.js';

/** Usage, a line for each key, model or day and currency. */
export function renderUsage({ usage }: { readonly usage: readonly ShownUsage[] }, by: 'key' | 'model' | 'day'): string {
  if (usage.length === 0) return 'Nothing was used.\n';
  const of = by === 'key' ? ['KEY', 'ID'] : [by.toUpperCase()];
  const header = [...of, 'REQUESTS', 'PROMPT', 'CACHED', 'COMPLETION', 'ESTIMATED', 'COST'];
  const rows = usage.map((row) => [
    ...(by === 'key' ? [row.key_name ?? '(gone)', row.name] : [row.name]),
    String(row.requests),
    String(row.prompt_tokens),
    String(row.cached_tokens),
    String(row.completion_tokens),
    String(row.estimated_requests),
    row.cost === null ? '-' : `${row.cost} ${row.currency}`,
  ]);
  return renderTable(
    header,
    rows,
    [0, 1, 2, 3, 4, 5].map((column) => column + of.length),
  );
}

/** Of the id of a key that is gone, enough to tell keys apart. */
const KEY_END = 6;
/** Columns of the name of a key. */
const KEY_WIDTH = 12;

/** One request in a line of some 90 columns that stay where they are. Times in UTC. */
export function renderRequest(row: ShownRequest): string {
  const key = row.key_name ?? (row.key_id === null ? '-' : `vk_…${row.key_id.slice(-KEY_END)}`);
  const parts = [
    row.time.slice(0, 19).replace('T', ' '),
    String(row.status ?? '-').padEnd(3),
    (key.length > KEY_WIDTH ? `${key.slice(0, KEY_WIDTH - 1)}…` : key).padEnd(KEY_WIDTH),
    (row.model ?? '-').padEnd(16),
    (row.runtime ?? '-').padEnd(13),
    `${row.prompt_tokens}+${row.completion_tokens} tok`.padStart(12),
    `${row.duration_ms ?? '-'} ms`.padStart(8),
    [row.stream ? 'stream' : '', row.aborted ? 'client left' : (row.error_code ?? '')].filter(Boolean).join(', '),
  ];
  return `${parts.join(' ').trimEnd()}\n`;
}

/** Entries of the audit log, a sentence each, in their order. Times in UTC. */
export function renderEntries({ entries }: { readonly entries: readonly ShownEntry[] }): string {
  if (entries.length === 0) return 'There is no entry.\n';
  return entries
    .map(({ seq, time, sentence }) => `${seq}  ${time.slice(0, 19).replace('T', ' ')}  ${sentence}\n`)
    .join('');
}

/** An entry of the audit log. */
interface ShownEntry {
  readonly seq: number;
  readonly time: string;
  readonly sentence: string;
}
