import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import {
  DataTable,
  Empty,
  Icon,
  SearchField,
  useKit,
  useLoad,
  useStore,
  wholeRows,
  type Column,
} from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import { useAdmin } from '../admin.js';
import type { Runtime } from '../api/runtime-answers.js';
import { EditRuntime } from './runtime-dialogs.js';
import { RuntimeDetails } from './runtime-details.js';
import { RuntimeState } from './runtime-state.js';

/** Refresh interval of the runtimes' health, in milliseconds. */
const LOOK_MS = 5_000;

const COLUMNS: readonly Column<Runtime>[] = [
  { id: 'id', title: LABELS.runtime, width: 12, narrow: 8, cell: ({ id }) => id },
  { id: 'state', title: LABELS.state, width: 11, narrow: 6.5, cell: (runtime) => <RuntimeState runtime={runtime} /> },
  { id: 'kind', title: LABELS.kind, width: 9, cell: ({ title }) => title },
  { id: 'url', title: LABELS.address, width: 16, cell: ({ base_url: url }) => <span class="mono">{url}</span> },
  {
    id: 'models',
    title: 'Serves',
    width: 16,
    cell: ({ models }) => (models.length === 0 ? <span class="muted">nothing</span> : models.join(', ')),
  },
  { id: 'key', title: 'Its key', width: 9, cell: ({ api_key: key }) => key ?? <span class="muted">none</span> },
];

/** The runtimes of the file, with their states and changes. */
export function RuntimesTab(): VNode {
  const { api } = useAdmin();
  const { router } = useKit();
  const { query } = useStore(router);
  const { search = '', open } = query;
  const runtimes = useLoad((call) => api.runtimes(call), [], LOOK_MS);
  const [isNew, setNew] = useState(false);
  const wanted = search.toLowerCase();
  const isWanted = ({ id, title, base_url: url, models }: Runtime): boolean =>
    [id, title, url, ...models].some((text) => text.toLowerCase().includes(wanted));
  const { value } = runtimes;
  return (
    <>
      <div class="toolbar">
        <SearchField
          isMain
          label="Search runtimes"
          value={search}
          onSearch={(text) => router.setQuery({ search: text }, 'replace')}
        />
        <span class="toolbar-space" />
        <button type="button" class="button" disabled={value === undefined} onClick={() => setNew(true)}>
          <Icon name="plus" /> Add by hand
        </button>
      </div>
      <DataTable
        label="Runtimes"
        state={wholeRows(runtimes, ({ data }) => data.filter(isWanted))}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        onReload={runtimes.reload}
        onOpen={({ id }) => router.setQuery({ open: id })}
        {...(open !== undefined && { openKey: open })}
        empty={
          search === '' ? (
            <Empty icon="runtime" title="There are no runtimes in the file.">
              Scan for them, or add one by hand.
            </Empty>
          ) : (
            <Empty icon="search" title="No runtime has this." />
          )
        }
      />
      {open !== undefined && value !== undefined && (
        <RuntimeDetails
          id={open}
          runtime={value.data.find(({ id }) => id === open)}
          kinds={value.kinds}
          etag={value.config_etag}
          onChanged={runtimes.reload}
          onClose={() => router.setQuery({ open: '' })}
        />
      )}
      {isNew && value !== undefined && (
        <EditRuntime
          kinds={value.kinds}
          etag={value.config_etag}
          onSaved={() => {
            setNew(false);
            runtimes.reload();
          }}
          onClose={() => setNew(false)}
        />
      )}
    </>
  );
}
