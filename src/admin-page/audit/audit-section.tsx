import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../page-data/index.js';
import {
  ActionButton,
  DataTable,
  Empty,
  FailureNote,
  FilterSelect,
  Icon,
  Note,
  saveFile,
  SearchField,
  Time,
  useKit,
  useRows,
  useStore,
  type Column,
  TimeFilter,
} from '../../page-kit/index.js';
import { LABELS } from '../../words/index.js';
import { useAdmin } from '../admin.js';
import type { AuditEntry, AuditVerdict } from '../api/system-answers.js';
import { EntryDetails } from './entry-details.js';
import { Outcome } from './outcome.js';

const OUTCOMES = [
  ['ok', 'ok'],
  ['refused', 'refused'],
  ['failed', 'failed'],
  ['unknown', 'not known'],
] as const;
const FILTERS = ['actor', 'action', 'target', 'outcome', 'from', 'to'] as const;
/** Compared from their beginning on. */
const BEGINNINGS = ['action', 'actor', 'target'] as const;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { id: 'time', title: LABELS.time, width: 11, cell: ({ time }) => <Time at={time} isShort /> },
  {
    id: 'sentence',
    title: 'What happened',
    width: 30,
    cell: ({ sentence }) => <span title={sentence}>{sentence}</span>,
  },
  { id: 'action', title: LABELS.action, width: 10, isExtra: true, cell: ({ action }) => action },
  { id: 'outcome', title: 'Outcome', width: 8, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  {
    id: 'reason',
    title: 'Reason',
    width: 11,
    isExtra: true,
    cell: ({ reason }) => reason || <span class="muted">–</span>,
  },
  { id: 'seq', title: LABELS.number, width: 5.5, isExtra: true, align: 'end', cell: ({ seq }) => seq },
];

/** Who did what: filtered, verified, exported. */
export function AuditSection(): VNode {
  const { api } = useAdmin();
  const { router } = useKit();
  const { query } = useStore(router);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query[name] ?? '']));
  const [rows, list] = useRows<AuditEntry>(
    (cursor, signal) => api.audit({ query: filters, cursor, signal }),
    FILTERS.map((name) => query[name]),
  );
  const [open, setOpen] = useState<AuditEntry>();
  const isFiltered = FILTERS.some((name) => (query[name] ?? '') !== '');
  return (
    <div class="fill">
      <div class="toolbar">
        {BEGINNINGS.map((name, i) => (
          <SearchField
            key={name}
            isMain={i === 0}
            label={`${name[0]?.toUpperCase()}${name.slice(1)} begins with`}
            value={query[name] ?? ''}
            onSearch={(value) => router.setQuery({ [name]: value }, 'replace')}
          />
        ))}
        <FilterSelect
          label="Outcome"
          value={query['outcome'] ?? ''}
          options={OUTCOMES}
          onChange={(outcome) => router.setQuery({ outcome })}
        />
        <TimeFilter />
      </div>
      <Proof from={query['from'] ?? ''} to={query['to'] ?? ''} onLook={() => void list.reload()} />
      <DataTable
        label="Audit log"
        state={rows}
        columns={COLUMNS}
        keyOf={({ seq }) => String(seq)}
        onMore={() => void list.more()}
        onReload={() => void list.reload()}
        onOpen={setOpen}
        {...(open !== undefined && { openKey: String(open.seq) })}
        empty={
          <Empty icon="audit" title={isFiltered ? 'No entry has these filters.' : 'There are no entries yet.'}>
            {isFiltered && (
              <button type="button" class="button" onClick={() => router.go('/audit')}>
                Show all
              </button>
            )}
          </Empty>
        }
      />
      {open !== undefined && <EntryDetails entry={open} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

/** Verifies the chain of entries, and exports them. */
function Proof(props: { readonly from: string; readonly to: string; readonly onLook: () => void }): VNode {
  const { api } = useAdmin();
  const { formats } = useKit();
  const [verdict, setVerdict] = useState<AuditVerdict>();
  const [failure, setFailure] = useState<ApiFailure>();
  const verify = async (): Promise<void> => {
    setVerdict(undefined);
    const answer = await api.verifyAudit();
    if (answer.ok) setVerdict(answer.value);
    setFailure(answer.ok ? undefined : answer.failure);
  };
  const take = async (): Promise<void> => {
    const { from, to } = props;
    const answer = await api.exportAudit({ from, to });
    setFailure(answer.ok ? undefined : answer.failure);
    if (answer.ok) saveFile('audit.ndjson', await answer.value.blob());
    // The export is in the log itself.
    props.onLook();
  };
  return (
    <>
      <div class="toolbar">
        <ActionButton onAct={verify}>
          <Icon name="audit" /> Verify the chain
        </ActionButton>
        <ActionButton onAct={take}>
          <Icon name="save" /> {props.from === '' && props.to === '' ? 'Export all' : 'Export this time'}
        </ActionButton>
        <span class="toolbar-space" />
        <button type="button" class="tool" aria-label="Load again" title="Load again" onClick={props.onLook}>
          <Icon name="retry" />
        </button>
      </div>
      {failure !== undefined && <FailureNote failure={failure} />}
      {verdict !== undefined && (
        <Note tone={verdict.ok ? 'good' : 'bad'}>
          {verdict.ok
            ? `All ${formats.count(verdict.entries)} entries follow from the one before: none was changed, and none is missing.`
            : `Entry ${verdict.first_bad ?? ''} does not follow from the one before: something was changed or taken out.`}
        </Note>
      )}
    </>
  );
}
