import { renderTable } from '../../cli/index.js';

/** A line of `usage`. */
interface ShownUsage {
  readonly name: string;
  readonly requests: number;
  readonly estimated_requests: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly uncharged_tokens: number;
  readonly cost: string | null;
  readonly currency: string | null;
}

/** Usage, a line for each key, model or day and currency. */
export function renderUsage({ usage }: { readonly usage: readonly ShownUsage[] }): string {
  if (usage.length === 0) return 'Nothing was used.\n';
  const header = ['NAME', 'REQUESTS', 'PROMPT', 'CACHED', 'COMPLETION', 'ESTIMATED', 'COST'];
  const rows = usage.map((row) => [
    row.name,
    String(row.requests),
    String(row.prompt_tokens),
    String(row.cached_tokens),
    String(row.completion_tokens),
    String(row.estimated_requests),
    row.cost === null ? '-' : `${row.cost} ${row.currency}`,
  ]);
  return renderTable(header, rows, [1, 2, 3, 4, 5, 6]);
}

/** A row of the request log. */
export interface ShownRequest {
  readonly seq: number;
  readonly time: string;
  readonly key_id: string | null;
  readonly model: string | null;
  readonly runtime: string | null;
  readonly status: number | null;
  readonly stream: boolean;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
  readonly aborted: boolean;
  readonly error_code: string | null;
}

/** Of the id of a key, enough to tell keys apart. */
const KEY_END = 6;

/** One request in a line of some 90 columns that stay where they are. Times in UTC. */
export function renderRequest(row: ShownRequest): string {
  const key = row.key_id === null ? '-' : `vk_…${row.key_id.slice(-KEY_END)}`;
  const parts = [
    row.time.slice(0, 19).replace('T', ' '),
    String(row.status ?? '-').padEnd(3),
    key.padEnd(10),
    (row.model ?? '-').padEnd(16),
    (row.runtime ?? '-').padEnd(13),
    `${row.prompt_tokens}+${row.completion_tokens} tok`.padStart(12),
    `${row.duration_ms ?? '-'} ms`.padStart(8),
    [row.stream ? 'stream' : '', row.aborted ? 'client left' : (row.error_code ?? '')].filter(Boolean).join(', '),
  ];
  return `${parts.join(' ').trimEnd()}\n`;
}
