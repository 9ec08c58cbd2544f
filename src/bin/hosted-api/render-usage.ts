import { renderTable } from '../../cli/index.js';
import { toCsv, type UsageRow } from '../../hosted/index.js';

/** What was summed. */
export interface ShownUsage {
  readonly from: string;
  readonly to: string;
  readonly usage: readonly UsageRow[];
}

/** What sums may be by, with the head of its column. */
const NAMES = [
  ['account_name', 'ACCOUNT'],
  ['account_id', 'ACCOUNT ID'],
  ['day', 'DAY'],
  ['key_name', 'KEY'],
  ['key_id', 'KEY ID'],
  ['provider', 'PROVIDER'],
  ['model', 'MODEL'],
] as const;

/** Sums for people, and for spreadsheets. */
export const renderUsage = {
  render({ from, to, usage }: ShownUsage): string {
    const days = `from ${from.slice(0, 10)} until before ${to.slice(0, 10)}`;
    return usage.length === 0 ? `Nothing was used ${days}.\n` : `Usage ${days}\n\n${renderSums(usage)}`;
  },
  toCsv: ({ usage }: ShownUsage): string =>
    toCsv(usage, [
      'account_id',
      'account_name',
      'day',
      'key_id',
      'key_name',
      'provider',
      'model',
      'requests',
      'prompt_tokens',
      'cached_tokens',
      'cache_write_tokens',
      'completion_tokens',
      'cost',
      'currency',
    ]),
};

/** Sums, a line each. */
export function renderSums(usage: readonly UsageRow[]): string {
  const used = NAMES.filter(([name]) => usage.some((row) => row[name] !== undefined));
  const header = [...used.map(([, title]) => title), 'REQUESTS', 'PROMPT', 'CACHED', 'COMPLETION', 'COST', 'CURRENCY'];
  const rows = usage.map((row) => [
    ...used.map(([name]) => row[name] || '-'),
    String(row.requests),
    String(row.prompt_tokens),
    String(row.cached_tokens),
    String(row.completion_tokens),
    row.cost,
    row.currency,
  ]);
  const first = used.length;
  return renderTable(header, rows, [first, first + 1, first + 2, first + 3, first + 4]);
}
