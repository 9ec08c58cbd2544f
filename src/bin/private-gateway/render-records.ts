import { renderTable } from '../../cli/index.js';
import type { ShownRequest, ShownUsage } from '../../gateway/index.js';
import { countText, headsOf, LABELS, moneyText, statusText } from '../../words/index.js';

const USED = headsOf('requests', 'prompt', 'cached', 'completion', 'estimated', 'cost');

/** Usage, a line for each key, model or day and currency. */
export function renderUsage({ usage }: { readonly usage: readonly ShownUsage[] }, by: 'key' | 'model' | 'day'): string {
  if (usage.length === 0) return 'Nothing was used.\n';
  const of = by === 'key' ? headsOf('key', 'keyId') : headsOf(by);
  const rows = usage.map((row) => [
    ...(by === 'key' ? [row.key_name ?? '(gone)', row.name] : [row.name]),
    countText(row.requests),
    countText(row.prompt_tokens),
    countText(row.cached_tokens),
    countText(row.completion_tokens),
    countText(row.estimated_requests),
    row.cost === null ? '-' : moneyText(row.cost, row.currency ?? ''),
  ]);
  return renderTable(
    [...of, ...USED],
    rows,
    USED.map((_, column) => column + of.length),
  );
}

/** Of the id of a key that is gone, enough to tell keys apart. */
const KEY_END = 6;
const KEY_WIDTH = 12;

/** A column of the list of requests: its head, and characters that it takes at least. */
interface RequestColumn {
  readonly head: string;
  readonly width: number;
  readonly isEnd?: boolean;
  readonly cell: (row: ShownRequest) => string;
}

/** Columns of the list of requests, of some 100 characters, that stay where they are. Times in UTC. */
const COLUMNS: readonly RequestColumn[] = [
  { head: LABELS.time, width: 19, cell: ({ time }) => time.slice(0, 19).replace('T', ' ') },
  {
    head: LABELS.status,
    width: 11,
    cell: ({ status, aborted }) => statusText({ status, isAborted: aborted }),
  },
  { head: LABELS.key, width: KEY_WIDTH, cell: keyOf },
  { head: LABELS.model, width: 16, cell: ({ model }) => model ?? '-' },
  { head: LABELS.runtime, width: 13, cell: ({ runtime }) => runtime ?? '-' },
  {
    head: LABELS.tokensInOut,
    width: 15,
    isEnd: true,
    cell: (row) => `${row.estimated ? '≈ ' : ''}${countText(row.prompt_tokens)} / ${countText(row.completion_tokens)}`,
  },
  {
    head: LABELS.duration,
    width: 9,
    isEnd: true,
    cell: ({ duration_ms: ms }) => (ms === null ? '-' : `${countText(ms)} ms`),
  },
  { head: LABELS.stream, width: 6, cell: ({ stream }) => (stream ? 'yes' : 'no') },
  { head: LABELS.error, width: 0, cell: ({ error_code: code }) => code ?? '' },
];

/** The heads of the list of requests. */
export const REQUEST_HEADS = toLine(COLUMNS.map(({ head }) => head.toUpperCase()));

/** One request in a line. */
export function renderRequest(row: ShownRequest): string {
  return toLine(COLUMNS.map(({ cell }) => cell(row)));
}

function toLine(cells: readonly string[]): string {
  const parts = COLUMNS.map(({ width, isEnd = false }, i) => {
    const cell = cells[i] ?? '';
    return isEnd ? cell.padStart(width) : cell.padEnd(width);
  });
  return `${parts.join(' ').trimEnd()}\n`;
}

/** The name of a key in the width of its column. */
function keyOf({ key_id: id, key_name: name }: ShownRequest): string {
  const key = name ?? (id === null ? '-' : `vk_…${id.slice(-KEY_END)}`);
  return key.length > KEY_WIDTH ? `${key.slice(0, KEY_WIDTH - 1)}…` : key;
}
