import type { VNode } from 'preact';
import {
  ActionButton,
  CheckField,
  DataTable,
  Empty,
  FilterSelect,
  Icon,
  saveFile,
  SearchField,
  useKit,
  useLoad,
  useRows,
  useStore,
  TimeFilter,
} from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { LoggedRequest } from '../api/metrics-answers.js';
import { readSearch } from './read-search.js';
import { requestColumns } from './request-columns.js';
import { RequestDetails } from './request-details.js';

/** Statuses that the list can filter by. */
const STATUSES = [200, 400, 401, 402, 403, 404, 408, 413, 429, 499, 500, 502, 503, 504] as const;
const FILTERS = [
  'key_id',
  'model',
  'runtime',
  'request_id',
  'error_code',
  'status',
  'failed',
  'from',
  'to',
  'order',
] as const;

/** The request log: metadata, without any content. */
export function RequestsSection(): VNode {
  const { api } = useAdmin();
  const { router, formats, notify } = useKit();
  const { query } = useStore(router);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query[name] ?? '']));
  const { open } = query;
  const [rows, list] = useRows<LoggedRequest>(
    (cursor, signal) => api.requests({ query: filters, cursor, signal }),
    FILTERS.map((name) => query[name]),
  );
  const models = useLoad((call) => api.models(call), []).value?.data ?? [];
  const runtimes = useLoad((call) => api.runtimes(call), []).value?.data ?? [];
  const set = (name: string) => (value: string) => router.setQuery({ [name]: value });
  const take = async (): Promise<void> => {
    const answer = await api.exportRequests(filters);
    if (answer.ok) saveFile('requests.csv', await answer.value.blob());
    else notify(answer.failure.message);
  };
  const isFiltered = FILTERS.some((name) => name !== 'order' && (query[name] ?? '') !== '');
  const isOldestFirst = query['order'] === 'asc';
  const { key_id: key = '', request_id: request = '', error_code: code = '' } = query;
  return (
    <div class="fill">
      <div class="toolbar">
        <SearchField
          isMain
          label="Id of a key or a request, or an error code"
          value={key || request || code}
          onSearch={(text) =>
            router.setQuery({ key_id: '', request_id: '', error_code: '', ...readSearch(text) }, 'replace')
          }
        />
        <FilterSelect
          label="Model"
          value={query['model'] ?? ''}
          options={models.map(({ id }) => [id, id] as const)}
          onChange={set('model')}
        />
        <FilterSelect
          label="Runtime"
          value={query['runtime'] ?? ''}
          options={runtimes.map(({ id }) => [id, id] as const)}
          onChange={set('runtime')}
        />
        <FilterSelect
          label="Status"
          value={query['status'] ?? ''}
          options={STATUSES.map((status) => [String(status), String(status)] as const)}
          onChange={set('status')}
        />
        <TimeFilter />
        <CheckField
          label="Only failed"
          isChecked={query['failed'] === 'true'}
          onChange={(isChecked) => set('failed')(isChecked ? 'true' : '')}
        />
        <span class="toolbar-space" />
        <ActionButton onAct={take}>
          <Icon name="save" /> Export as CSV
        </ActionButton>
        <button type="button" class="button" onClick={() => set('order')(isOldestFirst ? '' : 'asc')}>
          {isOldestFirst ? 'Oldest first' : 'Newest first'}
        </button>
        <button
          type="button"
          class="tool"
          aria-label="Load again"
          title="Load again"
          onClick={() => void list.reload()}
        >
          <Icon name="retry" />
        </button>
      </div>
      <DataTable
        label="Requests"
        state={rows}
        columns={requestColumns(formats)}
        keyOf={({ seq }) => String(seq)}
        onMore={() => void list.more()}
        onReload={() => void list.reload()}
        onOpen={({ seq }) => router.setQuery({ open: String(seq) })}
        {...(open !== undefined && { openKey: open })}
        empty={
          isFiltered ? (
            <Empty icon="search" title="No request has these filters.">
              <button type="button" class="button" onClick={() => router.go('/requests')}>
                Show all
              </button>
            </Empty>
          ) : (
            <Empty icon="requests" title="There are no requests yet.">
              They are listed as soon as a client asks. Prompts and answers are never kept.
            </Empty>
          )
        }
      />
      {open !== undefined && <RequestDetails seq={open} onClose={() => router.setQuery({ open: '' })} />}
    </div>
  );
}
