import { toCsvTable } from '../../../base/index.js';
import { renderTable } from '../../../cli/index.js';
import { countText, headsOf, moneyText } from '../../../words/index.js';

/** A request of any account. */
interface ShownRequest {
  readonly id: string;
  readonly created_at: string;
  readonly state: string;
  readonly account_id: string;
  readonly account_name: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly provider: string;
  readonly model: string;
  readonly status: number | null;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly cached_tokens: number;
    readonly cache_write_tokens: number;
    readonly completion_tokens: number;
    readonly reasoning_tokens: number;
    readonly is_estimated: boolean;
  };
  readonly cost: string;
  readonly currency: string;
  readonly first_byte_ms: number | null;
  readonly duration_ms: number | null;
}

/** The columns that the request log of a gateway has too are called as there. */
const table = toCsvTable<ShownRequest>([
  ['time', ({ created_at: time }) => time],
  ['request_id', ({ id }) => id],
  ['account_id', ({ account_id: id }) => id],
  ['account_name', ({ account_name: name }) => name],
  ['key_id', ({ key_id: id }) => id],
  ['key_name', ({ key_name: name }) => name],
  ['provider', ({ provider }) => provider],
  ['model', ({ model }) => model],
  ['status', ({ status }) => status],
  ['state', ({ state }) => state],
  ['prompt_tokens', ({ usage }) => usage.prompt_tokens],
  ['cached_tokens', ({ usage }) => usage.cached_tokens],
  ['cache_write_tokens', ({ usage }) => usage.cache_write_tokens],
  ['completion_tokens', ({ usage }) => usage.completion_tokens],
  ['reasoning_tokens', ({ usage }) => usage.reasoning_tokens],
  ['estimated', ({ usage }) => usage.is_estimated],
  ['cost', ({ cost }) => Number(cost)],
  ['currency', ({ currency }) => currency],
  ['first_byte_ms', ({ first_byte_ms: ms }) => ms],
  ['duration_ms', ({ duration_ms: ms }) => ms],
]);

type Requests = { readonly requests: readonly ShownRequest[] };

/** Requests, a line each, as a table or as CSV. Times in UTC. */
export const renderRequests = {
  render: ({ requests }: Requests): string =>
    requests.length === 0
      ? 'There is no request.\n'
      : renderTable(
          headsOf('time', 'status', 'account', 'key', 'model', 'tokensInOut', 'cost', 'duration'),
          requests.map(toRow),
          [5, 6, 7],
        ),
  toCsv: ({ requests }: Requests): string => table.header + requests.map(table.line).join(''),
};

function toRow(row: ShownRequest): readonly string[] {
  return [
    row.created_at.slice(0, 19).replace('T', ' '),
    String(row.status ?? '-'),
    row.account_name,
    row.key_name,
    `${row.provider}/${row.model}`,
    `${row.usage.is_estimated ? '≈ ' : ''}${countText(row.usage.prompt_tokens)} / ${countText(row.usage.completion_tokens)}`,
    moneyText(row.cost, row.currency),
    row.duration_ms === null ? '-' : `${countText(row.duration_ms)} ms`,
  ];
}
