import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import {
  DataTable,
  Empty,
  FilterSelect,
  Icon,
  SearchField,
  useKit,
  useLoad,
  useNow,
  useRows,
  useStore,
} from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import { useAdmin } from '../admin.js';
import type { Key, KeyWithSecret } from '../api/key-answers.js';
import { keyColumns } from './key-columns.js';
import { KeyDetails } from './key-details.js';
import { CreateKey, SecretOnce } from './key-dialogs.js';
import { KEY_STATES } from './key-state.js';

const ORIGINS = [
  ['database', 'the database'],
  ['file', 'gateway.yaml'],
] as const;

/** The list of virtual keys. It works with five keys and with 50,000. */
export function KeysSection(): VNode {
  const { api } = useAdmin();
  const { router, formats } = useKit();
  const { query } = useStore(router);
  const { search = '', state = '', origin = '', model = '', sort = 'created', order = 'desc', open } = query;
  const filters = { search, state, origin, model, sort, order };
  const [rows, list] = useRows<Key>(
    (cursor, signal) => api.keys({ query: filters, cursor, signal }),
    [search, state, origin, model, sort, order],
  );
  const models = useLoad((call) => api.models(call), []);
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<KeyWithSecret>();
  const now = useNow(30_000);
  const isFiltered = [search, state, origin, model].some((filter) => filter !== '');
  const onSort = (by: string): void => {
    const next = by === sort ? (order === 'desc' ? 'asc' : 'desc') : by === 'name' ? 'asc' : 'desc';
    router.setQuery({ sort: by, order: next });
  };
  return (
    <div class="fill">
      <div class="toolbar">
        <SearchField
          isMain
          label="Search names, ids and beginnings"
          placeholder="Search keys"
          value={search}
          onSearch={(value) => router.setQuery({ search: value }, 'replace')}
        />
        <FilterSelect
          label="State"
          value={state}
          options={KEY_STATES}
          onChange={(value) => router.setQuery({ state: value })}
        />
        <FilterSelect
          label={LABELS.origin}
          value={origin}
          options={ORIGINS}
          onChange={(value) => router.setQuery({ origin: value })}
        />
        <FilterSelect
          label="May use"
          value={model}
          options={models.value?.data.map(({ id }) => [id, id] as const) ?? []}
          onChange={(value) => router.setQuery({ model: value })}
        />
        <span class="toolbar-space" />
        <span class="muted number" role="status">
          {rows.total === undefined ? '' : formats.counted(rows.total, 'key')}
        </span>
        <button type="button" class="button primary" onClick={() => setNew(true)}>
          <Icon name="plus" /> New key
        </button>
      </div>
      <DataTable
        label="Virtual keys"
        state={rows}
        columns={keyColumns(formats, now)}
        keyOf={({ id }) => id}
        onMore={() => void list.more()}
        onReload={() => void list.reload()}
        onOpen={({ id }) => router.setQuery({ open: id })}
        sort={{ by: sort, order: order === 'asc' ? 'asc' : 'desc' }}
        onSort={onSort}
        {...(open !== undefined && { openKey: open })}
        empty={
          isFiltered ? (
            <Empty icon="search" title="No key has these filters.">
              <button type="button" class="button" onClick={() => router.go('/keys')}>
                Show all
              </button>
            </Empty>
          ) : (
            <Empty icon="key" title="There are no keys yet.">
              A client needs a key to use the gateway. The first one takes a minute.
            </Empty>
          )
        }
      />
      {open !== undefined && (
        <KeyDetails
          id={open}
          onChanged={(key) => list.replace(key, ({ id }) => id === key.id)}
          onMade={setMade}
          onClose={() => router.setQuery({ open: '' })}
        />
      )}
      {isNew && (
        <CreateKey
          onMade={(value) => {
            setNew(false);
            setMade(value);
            void list.reload();
          }}
          onClose={() => setNew(false)}
        />
      )}
      {made !== undefined && <SecretOnce made={made} onClose={() => setMade(undefined)} />}
    </div>
  );
}
