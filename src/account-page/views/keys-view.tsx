import type { VNode } from 'preact';
import { Badge, DataTable, Empty, Time, useLoad, useNow, wholeRows, type Column } from '../../page-kit/index.js';
import { useAccount } from '../account-page.js';
import type { AccountKey } from '../api/account-api.js';

/** The keys of the account, without their secrets. */
export function KeysView(): VNode {
  const { api } = useAccount();
  const now = useNow(30_000);
  const loaded = useLoad(({ signal }) => api.keys(signal), []);
  const columns: readonly Column<AccountKey>[] = [
    { id: 'name', title: 'Name', width: 12, cell: ({ name }) => name },
    { id: 'key', title: 'Key', width: 9, cell: ({ prefix }) => <code>{prefix}…</code> },
    {
      id: 'state',
      title: 'State',
      width: 7,
      cell: ({ state }) => <Badge tone={state === 'active' ? 'good' : 'idle'}>{state}</Badge>,
    },
    { id: 'models', title: 'Models', width: 14, cell: ({ models }) => models?.join(', ') ?? 'all' },
    { id: 'limits', title: 'Limits', width: 16, cell: ({ limits }) => describeLimits(limits) },
    { id: 'expires', title: 'Ends', width: 9, cell: ({ expires_at: at }) => <Time at={at} now={now} never="never" /> },
    {
      id: 'used',
      title: 'Last used',
      width: 9,
      cell: ({ last_used_at: at }) => <Time at={at} now={now} never="never" />,
    },
  ];
  return (
    <DataTable
      label="Keys"
      state={wholeRows(loaded, ({ data }) => data)}
      columns={columns}
      keyOf={({ id }) => id}
      onReload={loaded.reload}
      empty={<Empty icon="key" title="There is no key" />}
    />
  );
}

function describeLimits(limits: AccountKey['limits']): string {
  const { requests_per_minute: requests, tokens_per_minute: tokens, parallel_requests: parallel, budgets } = limits;
  const parts = [
    ...(requests === null ? [] : [`${requests} requests a minute`]),
    ...(tokens === null ? [] : [`${tokens} tokens a minute`]),
    ...(parallel === null ? [] : [`${parallel} at once`]),
    ...budgets.map(({ amount, window }) => `${amount} ${window === 'total' ? 'in total' : `a ${window}`}`),
  ];
  return parts.join(', ') || 'none';
}
