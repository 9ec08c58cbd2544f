import type { VNode } from 'preact';
import {
  Badge,
  CheckField,
  DataTable,
  Dialog,
  Empty,
  Facts,
  SearchField,
  Time,
  TimeFilter,
  useKit,
  useRows,
  useStore,
  type Column,
} from '../../kit/index.js';
import { BOOKINGS, LABELS, statusText } from '../../../words/index.js';
import type { PaidRequest } from '../api/operator-api.js';
import { useOperator } from '../operator-state.js';

/** Requests of all accounts, the newest first: their tokens and costs, without content. */
export function RequestsSection(): VNode {
  const { api } = useOperator();
  const { router, formats } = useKit();
  const { query } = useStore(router);
  const { search = '', failed = '', from = '', to = '', open = '' } = query;
  const filters = {
    ...readSearch(search),
    ...(failed !== '' && { failed: true }),
    ...(from !== '' && { from_ms: Date.parse(from) }),
    ...(to !== '' && { to_ms: Date.parse(to) }),
  };
  const [rows, list] = useRows<PaidRequest>(
    (cursor, signal) => api.page('requests.list', 'requests', filters, cursor, signal),
    [search, failed, from, to],
  );
  const columns: readonly Column<PaidRequest>[] = [
    {
      id: 'time',
      title: LABELS.time,
      width: 9.5,
      narrow: 8.25,
      cell: ({ created_at: at }) => <Time at={at} isShort />,
    },
    {
      id: 'status',
      title: LABELS.status,
      width: 6.5,
      narrow: 5,
      cell: (request) => <RequestStatus request={request} />,
    },
    { id: 'model', title: LABELS.model, width: 10.5, narrow: 7, cell: ({ model }) => model },
    { id: 'account', title: LABELS.account, width: 9, cell: ({ account_name: name }) => name },
    { id: 'key', title: LABELS.key, width: 7, cell: ({ key_name: name }) => name },
    { id: 'cost', title: LABELS.cost, width: 8, align: 'end', cell: (r) => formats.money(r.cost, r.currency) },
    {
      id: 'tokens',
      title: LABELS.tokensInOut,
      width: 7.5,
      align: 'end',
      cell: ({ usage }) =>
        `${formats.compact(usage.prompt_tokens)} / ${usage.is_estimated ? '≈ ' : ''}${formats.compact(usage.completion_tokens)}`,
    },
    {
      id: 'duration',
      title: LABELS.duration,
      width: 6,
      align: 'end',
      cell: ({ duration_ms: ms }) => (ms === null ? '–' : formats.duration(ms)),
    },
    {
      id: 'provider',
      title: LABELS.provider,
      width: 9,
      isExtra: true,
      cell: ({ provider }) => <code>{provider}</code>,
    },
  ];
  const opened = rows.rows.find(({ id }) => id === open);
  return (
    <div class="fill">
      <div class="toolbar">
        <SearchField
          isMain
          label="Id of an account or a key, or a model"
          value={search}
          onSearch={(value) => router.setQuery({ search: value }, 'replace')}
        />
        <TimeFilter />
        <CheckField
          label="Only failed"
          isChecked={failed !== ''}
          onChange={(isChecked) => router.setQuery({ failed: isChecked ? 'yes' : '' })}
        />
      </div>
      <DataTable
        label="Requests"
        state={rows}
        columns={columns}
        keyOf={({ id }) => id}
        onMore={() => void list.more()}
        onReload={() => void list.reload()}
        onOpen={({ id }) => router.setQuery({ open: id })}
        {...(open !== '' && { openKey: open })}
        empty={
          <Empty icon="requests" title="There is no such request">
            A request is listed once it has ended. Prompts and answers are never kept.
          </Empty>
        }
      />
      {opened !== undefined && <RequestDetails request={opened} onClose={() => router.setQuery({ open: '' })} />}
    </div>
  );
}

/** Interprets a search text by its format. */
function readSearch(text: string): Readonly<Record<string, string>> {
  if (text === '') return {};
  if (text.startsWith('acc_')) return { account_id: text };
  return text.startsWith('hk_') ? { key_id: text } : { model: text };
}

function RequestStatus({ request: { status, state } }: { readonly request: PaidRequest }): VNode {
  if (status === null) return <Badge tone={state === 'settled' ? 'good' : 'idle'}>{BOOKINGS[state]}</Badge>;
  const tone = status === 499 ? 'idle' : status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
  return <Badge tone={tone}>{statusText({ status, isAborted: false })}</Badge>;
}

function RequestDetails({ request, onClose }: { readonly request: PaidRequest; readonly onClose: () => void }): VNode {
  const { formats } = useKit();
  const { usage } = request;
  const ms = (value: number | null): string | null => (value === null ? null : formats.duration(value));
  return (
    <Dialog title={`Request of ${request.account_name}`} shape="side" onClose={onClose}>
      <Facts
        facts={[
          ['Id', <code>{request.id}</code>],
          ['Time', <Time at={request.created_at} />],
          ['Status', <RequestStatus request={request} />],
          ['Account', `${request.account_name} (${request.account_id})`],
          ['Key', `${request.key_name} (${request.key_id})`],
          ['Provider', <code>{request.provider}</code>],
          ['Model', request.model],
          ['Prompt tokens', formats.count(usage.prompt_tokens)],
          ['Completion tokens', formats.count(usage.completion_tokens)],
          ['Counted by', usage.is_estimated ? 'the service, estimated' : 'the provider'],
          ['Cost', formats.money(request.cost, request.currency)],
          ['First token', ms(request.first_byte_ms)],
          ['Duration', ms(request.duration_ms)],
        ]}
      />
    </Dialog>
  );
}
