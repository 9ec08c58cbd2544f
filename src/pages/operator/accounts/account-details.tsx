import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import {
  ActionButton,
  Badge,
  Card,
  CopyField,
  Dialog,
  Facts,
  FailureNote,
  LoadedView,
  Note,
  RotateKey,
  StatementView,
  Time,
  useKit,
  useLoad,
  type StatementPayment,
  type StatementSums,
} from '../../kit/index.js';
import { LABELS, windowText } from '../../../words/index.js';
import type { Account, AccountKey } from '../api/operator-api.js';
import { FormDialog } from '../forms/form-dialog.js';
import { useOperator } from '../operator-state.js';

/** An account with its keys and actions. */
export function AccountDetails(props: {
  readonly account: Account;
  readonly onChanged: (account: Account) => void;
  readonly onClose: () => void;
}): VNode {
  const { account, onChanged, onClose } = props;
  const { api } = useOperator();
  const { formats, notify } = useKit();
  const [form, setForm] = useState<'credit' | 'key'>();
  const [rotating, setRotating] = useState<AccountKey>();
  const [secret, setSecret] = useState<string>();
  const [failure, setFailure] = useState<ApiFailure>();
  const { id, name, state, currency } = account;
  const keys = useLoad(
    ({ signal }) => api.run<{ keys: readonly AccountKey[] }>('keys.list', { account_id: id, limit: 1_000 }, signal),
    [id],
  );
  const change = async (operation: string, params: object): Promise<ApiFailure | undefined> => {
    const answer = await api.run<{ account: Account }>(operation, params);
    setFailure(answer.ok ? undefined : answer.failure);
    if (!answer.ok) return answer.failure;
    onChanged(answer.value.account);
    return undefined;
  };
  const setKeyState = async (key: AccountKey): Promise<void> => {
    const next = key.state === 'disabled' ? 'active' : 'disabled';
    const answer = await api.run('keys.set-state', { id: key.id, state: next });
    setFailure(answer.ok ? undefined : answer.failure);
    if (answer.ok) keys.reload();
  };
  const rotate = async (key: AccountKey, graceMs: number): Promise<ApiFailure | undefined> => {
    const answer = await api.run<{ secret: string }>('keys.rotate', { id: key.id, grace_ms: graceMs });
    if (!answer.ok) return answer.failure;
    setSecret(answer.value.secret);
    keys.reload();
    return undefined;
  };
  const toggle = { id, state: state === 'active' ? 'suspended' : 'active' };
  return (
    <Dialog title={name} shape="side" onClose={onClose}>
      <Facts
        facts={[
          [LABELS.id, <code>{id}</code>],
          [LABELS.state, <Badge tone={state === 'active' ? 'good' : 'bad'}>{state}</Badge>],
          [LABELS.balance, formats.money(account.balance, currency)],
          [LABELS.reserved, formats.money(account.held, currency)],
          [LABELS.created, <Time at={account.created_at} />],
        ]}
      />
      <div class="toolbar">
        <button type="button" class="button" onClick={() => setForm('credit')}>
          Book money
        </button>
        <ActionButton onAct={() => change('accounts.set-state', toggle)}>
          {state === 'active' ? 'Suspend' : 'Resume'}
        </ActionButton>
      </div>
      {failure !== undefined && <FailureNote failure={failure} />}
      {secret !== undefined && (
        <Note tone="good">
          <CopyField label="The new key, shown this once" text={secret} />
        </Note>
      )}
      <Card
        title="Keys"
        actions={
          <button type="button" class="button small" onClick={() => setForm('key')}>
            New key
          </button>
        }
      >
        <LoadedView loaded={keys}>
          {({ keys: all }) => <KeyList keys={all} onToggle={setKeyState} onRotate={setRotating} />}
        </LoadedView>
      </Card>
      <AccountStatement id={id} balance={account.balance} />
      {rotating !== undefined && (
        <RotateKey
          name={rotating.name}
          onRotate={(graceMs) => rotate(rotating, graceMs)}
          onClose={() => setRotating(undefined)}
        />
      )}
      {form === 'credit' && (
        <FormDialog
          title={`Book money to ${name}`}
          action="Book"
          fields={[
            { name: 'amount', label: `Amount in ${currency}`, hint: 'Such as 20.00; a negative one takes money.' },
            { name: 'reference', label: 'Reference', hint: 'Of a payment or an invoice. It is booked once.' },
            { name: 'note', label: 'Note', isOptional: true },
          ]}
          onSubmit={async (values) => {
            const params = { id, ...values };
            const answer = await api.run<{ account: Account; already_booked: boolean }>('accounts.credit', params);
            if (!answer.ok) return answer.failure;
            onChanged(answer.value.account);
            notify(answer.value.already_booked ? 'This payment was booked before; nothing changed' : 'Booked');
            return undefined;
          }}
          onClose={() => setForm(undefined)}
        />
      )}
      {form === 'key' && (
        <FormDialog
          title={`New key of ${name}`}
          action="Make key"
          fields={[
            { name: 'name', label: 'Name', hint: 'Who uses it, or what for.' },
            {
              name: 'models',
              label: 'Models',
              hint: 'Such as pgw/berlin/*, openai/gpt-5. Empty: all.',
              isOptional: true,
            },
            {
              name: 'budget',
              label: `Budget a month, in ${currency}`,
              hint: 'Empty: as far as the money goes.',
              isOptional: true,
            },
          ]}
          onSubmit={async ({ name: keyName, models, budget }) => {
            const answer = await api.run<{ secret: string }>('keys.create', {
              account_id: id,
              name: keyName,
              ...(models !== undefined && { models: models.split(',').map((each) => each.trim()) }),
              ...(budget !== undefined && { budgets: [{ amount: budget, window: 'month' }] }),
            });
            if (!answer.ok) return answer.failure;
            setSecret(answer.value.secret);
            keys.reload();
            return undefined;
          }}
          onClose={() => setForm(undefined)}
        />
      )}
    </Dialog>
  );
}

function KeyList(props: {
  readonly keys: readonly AccountKey[];
  readonly onToggle: (key: AccountKey) => Promise<void>;
  readonly onRotate: (key: AccountKey) => void;
}): VNode {
  const { formats } = useKit();
  if (props.keys.length === 0) return <p class="muted">This account has no key.</p>;
  return (
    <ul class="rows">
      {props.keys.map((key) => (
        <li key={key.id}>
          <div>
            <strong>{key.name}</strong> <code>{key.prefix}…</code>{' '}
            <Badge tone={key.state === 'active' ? 'good' : 'idle'}>{key.state}</Badge>
            <div class="hint">
              {key.models === null ? 'All models' : key.models.join(', ')}
              {key.limits.budgets
                .map(({ limit, unit, window }) => ` · ${formats.money(String(limit), unit)} ${windowText(window)}`)
                .join('')}{' '}
              · last used <Time at={key.last_used_at} never="never" />
            </div>
          </div>
          <button type="button" class="button quiet" onClick={() => props.onRotate(key)}>
            Rotate
          </button>
          <ActionButton kind="quiet" onAct={() => props.onToggle(key)}>
            {key.state === 'disabled' ? 'Enable' : 'Disable'}
          </ActionButton>
        </li>
      ))}
    </ul>
  );
}

/** The most listed payments; the command lists all. */
const LIMIT = 200;

/** Payments and refunds of an account in the last thirty days. A change of the balance reloads them. */
function AccountStatement({ id, balance }: { readonly id: string; readonly balance: string }): VNode {
  const { api } = useOperator();
  const loaded = useLoad(
    ({ signal }) =>
      api.run<{ statement: StatementSums; payments: readonly StatementPayment[] }>(
        'accounts.statement',
        { id, limit: LIMIT },
        signal,
      ),
    [id, balance],
  );
  return (
    <Card title="Statement, last thirty days">
      <LoadedView loaded={loaded}>
        {({ statement, payments }) => <StatementView statement={statement} payments={payments} />}
      </LoadedView>
    </Card>
  );
}
