import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Badge, DataTable, Empty, Icon, Time, useKit, useRows, useStore, type Column } from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import type { Account } from '../api/operator-api.js';
import { FormDialog } from '../forms/form-dialog.js';
import { useOperator } from '../operator-state.js';
import { AccountDetails } from './account-details.js';

/** Accounts and their balances. */
export function AccountsSection(): VNode {
  const { api } = useOperator();
  const { router, formats } = useKit();
  const { open } = useStore(router).query;
  const [isNew, setNew] = useState(false);
  const [rows, list] = useRows<Account>(
    (cursor, signal) => api.page('accounts.list', 'accounts', {}, cursor, signal),
    [],
  );
  const columns: readonly Column<Account>[] = [
    { id: 'name', title: LABELS.name, width: 14, narrow: 8.5, cell: ({ name }) => name },
    {
      id: 'balance',
      title: LABELS.balance,
      width: 9,
      narrow: 6.5,
      align: 'end',
      cell: (a) => formats.money(a.balance, a.currency),
    },
    {
      id: 'state',
      title: LABELS.state,
      width: 8,
      narrow: 6.5,
      cell: ({ state }) => <Badge tone={state === 'active' ? 'good' : 'bad'}>{state}</Badge>,
    },
    { id: 'held', title: LABELS.reserved, width: 8, align: 'end', cell: (a) => formats.money(a.held, a.currency) },
    { id: 'created', title: LABELS.created, width: 12, cell: ({ created_at: at }) => <Time at={at} /> },
    { id: 'id', title: LABELS.id, width: 18, isExtra: true, cell: ({ id }) => <code>{id}</code> },
  ];
  const opened = rows.rows.find(({ id }) => id === open);
  return (
    <div class="fill">
      <div class="toolbar">
        <span class="toolbar-space" />
        <button type="button" class="button primary" onClick={() => setNew(true)}>
          <Icon name="plus" /> New account
        </button>
      </div>
      <DataTable
        label="Accounts"
        state={rows}
        columns={columns}
        keyOf={({ id }) => id}
        onMore={() => void list.more()}
        onReload={() => void list.reload()}
        onOpen={({ id }) => router.setQuery({ open: id })}
        {...(open !== undefined && { openKey: open })}
        empty={
          <Empty icon="user" title="There is no account yet">
            An account has money in one currency, and keys that spend it.
          </Empty>
        }
      />
      {isNew && (
        <FormDialog
          title="New account"
          action="Make account"
          fields={[
            { name: 'name', label: 'Name', hint: 'Who pays.' },
            {
              name: 'currency',
              label: 'Currency',
              hint: 'Three letters, such as USD. It cannot be changed.',
              initial: 'USD',
            },
          ]}
          onSubmit={async (values) => {
            const answer = await api.run<{ account: Account }>('accounts.create', values);
            if (!answer.ok) return answer.failure;
            await list.reload();
            router.setQuery({ open: answer.value.account.id });
            return undefined;
          }}
          onClose={() => setNew(false)}
        />
      )}
      {opened !== undefined && (
        <AccountDetails
          account={opened}
          onChanged={(account) => list.replace(account, ({ id }) => id === account.id)}
          onClose={() => router.setQuery({ open: '' })}
        />
      )}
    </div>
  );
}
