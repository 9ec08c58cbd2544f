import { renderTable } from '../../../cli/index.js';
import { countText, headsOf, moneyText } from '../../../words/index.js';
import { toCsv, type UsageReportRow } from '../../../hosted/index.js';

/** Sums of usage. */
export interface ShownUsage {
  readonly from: string;
  readonly to: string;
  readonly usage: readonly UsageReportRow[];
}

/** What sums may be by, with the label of its column. */
const NAMES = [
  ['account_name', 'account'],
  ['account_id', 'accountId'],
  ['day', 'day'],
  ['key_name', 'key'],
  ['key_id', 'keyId'],
  ['provider', 'provider'],
  ['model', 'model'],
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
export function renderSums(usage: readonly UsageReportRow[]): string {
  const used = NAMES.filter(([name]) => usage.some((row) => row[name] !== undefined));
  const names = headsOf(...used.map(([, label]) => label));
  const header = [...names, ...headsOf('requests', 'prompt', 'cached', 'cacheWrites', 'completion', 'cost')];
  const rows = usage.map((row) => [
    ...used.map(([name]) => row[name] || '-'),
    countText(row.requests),
    countText(row.prompt_tokens),
    countText(row.cached_tokens),
    countText(row.cache_write_tokens),
    countText(row.completion_tokens),
    moneyText(row.cost, row.currency),
  ]);
  const first = used.length;
  return renderTable(
    header,
    rows,
    [0, 1, 2, 3, 4, 5].map((column) => column + first),
  );
}
