import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure, Formats } from '../../data/index.js';
import {
  Badge,
  CopyField,
  DataTable,
  Empty,
  Note,
  RotateKey,
  Time,
  useKit,
  useLoad,
  useNow,
  wholeRows,
  type Column,
} from '../../kit/index.js';
import { LABELS, windowText } from '../../../words/index.js';
import { useAccount } from '../account-page.js';
import type { AccountKey } from '../api/account-api.js';

/** The keys of the account, without their secrets. */
export function KeysView(): VNode {
  const { api, client } = useAccount();
  const [rotating, setRotating] = useState<AccountKey>();
  const [secret, setSecret] = useState<string>();
  const { formats } = useKit();
  const now = useNow(30_000);
  const loaded = useLoad(({ signal }) => api.keys(signal), []);
  const columns: readonly Column<AccountKey>[] = [
    { id: 'name', title: LABELS.name, width: 11, narrow: 8.5, cell: ({ name }) => name },
    {
      id: 'state',
      title: LABELS.state,
      width: 6.5,
      narrow: 6,
      cell: ({ state }) => <Badge tone={state === 'active' ? 'good' : 'idle'}>{state}</Badge>,
    },
    { id: 'key', title: LABELS.beginsWith, width: 8, narrow: 7, cell: ({ prefix }) => <code>{prefix}…</code> },
    { id: 'models', title: LABELS.models, width: 10, cell: ({ models }) => models?.join(', ') ?? 'all' },
    { id: 'limits', title: LABELS.limits, width: 12, cell: ({ limits }) => describeLimits(limits, formats) },
    {
      id: 'expires',
      title: LABELS.expires,
      width: 7.5,
      cell: ({ expires_at: at }) => <Time at={at} now={now} never="never" />,
    },
    {
      id: 'used',
      title: LABELS.lastUsed,
      width: 8,
      cell: ({ last_used_at: at }) => <Time at={at} now={now} never="never" />,
    },
  ];
  const rotate = async ({ id, prefix }: AccountKey, graceMs: number): Promise<ApiFailure | undefined> => {
    const answer = await api.rotateKey(id, graceMs);
    if (!answer.ok) return answer.failure;
    // If the user rotated the page's own key, the page continues with the new secret.
    if (client.hasKey(prefix)) client.replaceKey(answer.value.secret);
    setSecret(answer.value.secret);
    loaded.reload();
    return undefined;
  };
  return (
    <div class="fill">
      {secret !== undefined && (
        <Note tone="good">
          <CopyField label="The new secret, shown this once" text={secret} />
        </Note>
      )}
      <DataTable
        label="Keys"
        state={wholeRows(loaded, ({ data }) => data)}
        columns={columns}
        keyOf={({ id }) => id}
        onReload={loaded.reload}
        onOpen={setRotating}
        empty={<Empty icon="key" title="There is no key" />}
      />
      {rotating !== undefined && (
        <RotateKey
          name={rotating.name}
          onRotate={(graceMs) => rotate(rotating, graceMs)}
          onClose={() => setRotating(undefined)}
        />
      )}
    </div>
  );
}

function describeLimits(limits: AccountKey['limits'], formats: Formats): string {
  const { requests_per_minute: requests, tokens_per_minute: tokens, parallel_requests: parallel, budgets } = limits;
  const parts = [
    ...(requests === null ? [] : [`${formats.counted(requests, 'request')} a minute`]),
    ...(tokens === null ? [] : [`${formats.counted(tokens, 'token')} a minute`]),
    ...(parallel === null ? [] : [`${formats.counted(parallel, 'request')} at once`]),
    ...budgets.map(({ limit, unit, window }) => `${formats.money(String(limit), unit)} ${windowText(window)}`),
  ];
  return parts.join(', ') || 'none';
}
