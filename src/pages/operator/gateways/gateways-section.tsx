import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import {
  DataTable,
  Empty,
  Icon,
  Time,
  useKit,
  useLoad,
  useNow,
  useStore,
  wholeRows,
  type Column,
} from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import type { Gateway } from '../api/operator-api.js';
import { FormDialog } from '../forms/form-dialog.js';
import { useOperator } from '../operator-state.js';
import { GatewayDetails } from './gateway-details.js';
import { GatewayState } from './gateway-state.js';

/** Refresh interval of the list, in milliseconds. */
const EVERY_MS = 15_000;

/** Connected gateways: their models, and whether they answer. */
export function GatewaysSection(): VNode {
  const { api } = useOperator();
  const { router } = useKit();
  const { open } = useStore(router).query;
  const [isNew, setNew] = useState(false);
  const now = useNow(15_000);
  const loaded = useLoad(
    ({ signal }) => api.run<{ gateways: readonly Gateway[] }>('gateways.list', {}, signal),
    [],
    EVERY_MS,
  );
  const rows = wholeRows(loaded, ({ gateways }) => gateways);
  const columns: readonly Column<Gateway>[] = [
    { id: 'slug', title: LABELS.slug, width: 9, narrow: 8, cell: ({ slug }) => <code>{slug}</code> },
    { id: 'state', title: LABELS.state, width: 9, narrow: 7, cell: (gateway) => <GatewayState gateway={gateway} /> },
    {
      id: 'offered',
      title: LABELS.models,
      width: 7,
      narrow: 6.5,
      align: 'end',
      cell: ({ offered_models: offered, listed_models: listed }) => `${offered.length} of ${listed}`,
    },
    { id: 'name', title: LABELS.name, width: 12, cell: ({ name }) => name },
    { id: 'synced', title: LABELS.read, width: 9, cell: (g) => <Time at={g.synced_at} now={now} never="never" /> },
    { id: 'url', title: LABELS.address, width: 17, cell: (g) => g.base_url },
  ];
  const opened = rows.rows.find(({ slug }) => slug === open);
  return (
    <div class="fill">
      <div class="toolbar">
        <span class="toolbar-space" />
        <button type="button" class="button primary" onClick={() => setNew(true)}>
          <Icon name="plus" /> Connect a gateway
        </button>
      </div>
      <DataTable
        label="Gateways"
        state={rows}
        columns={columns}
        keyOf={({ slug }) => slug}
        onReload={loaded.reload}
        onOpen={({ slug }) => router.setQuery({ open: slug })}
        {...(open !== undefined && { openKey: open })}
        empty={
          <Empty icon="runtime" title="No gateway is connected yet">
            Any server with GET /v1/models can be connected. Its models are called at /pgw/SLUG/v1.
          </Empty>
        }
      />
      {isNew && (
        <FormDialog
          title="Connect a gateway"
          action="Connect"
          fields={[
            { name: 'slug', label: 'Slug', hint: '3 to 40 of a to z, 0 to 9 and -. It is in the path of its models.' },
            { name: 'name', label: 'Name', hint: 'What the catalog calls it.' },
            { name: 'base_url', label: 'Address', hint: 'What stands before /v1/models.' },
            {
              name: 'credential',
              label: 'Credential',
              hint: 'Empty: it asks for none.',
              isOptional: true,
              isSecret: true,
            },
            { name: 'models', label: 'Models', hint: 'Ids, with commas. Empty: all that it lists.', isOptional: true },
          ]}
          onSubmit={async ({ models, ...values }) => {
            const offer = models === undefined ? {} : { models: models.split(',').map((id) => id.trim()) };
            const answer = await api.run<{ gateway: Gateway }>('gateways.add', { ...values, ...offer });
            if (!answer.ok) return answer.failure;
            loaded.reload();
            router.setQuery({ open: answer.value.gateway.slug });
            return undefined;
          }}
          onClose={() => setNew(false)}
        />
      )}
      {opened !== undefined && (
        <GatewayDetails gateway={opened} onChanged={loaded.reload} onClose={() => router.setQuery({ open: '' })} />
      )}
    </div>
  );
}
