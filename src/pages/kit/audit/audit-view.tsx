import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiAnswer, ApiFailure, AuditEntry, AuditVerdict, RowPage } from '../../data/index.js';
import { LABELS } from '../../../words/index.js';
import { FilterSelect, SearchField } from '../forms/search-field.js';
import { TimeFilter } from '../forms/time-filter.js';
import { useKit } from '../page/kit.js';
import { saveFile } from '../page/save-file.js';
import { useRows } from '../page/use-load.js';
import { useStore } from '../page/use-store.js';
import { DataTable, type Column } from '../table/data-table.js';
import { ActionButton } from '../views/action-button.js';
import { Icon } from '../views/icon.js';
import { Empty, FailureNote, Note } from '../views/states.js';
import { Time } from '../views/time.js';
import { Dialog } from '../views/dialog.js';
import { Facts } from '../views/facts.js';
import { Badge } from '../views/badge.js';

/** Filters of the audit log by name; an empty text is no filter. */
export type AuditQuery = Readonly<Record<(typeof FILTERS)[number], string>>;

/** A file format for exporting entries. */
export interface AuditFile {
  readonly name: string;
  /** The addition to the button's text, if there are several files. */
  readonly label?: string;
  /** Exports entries. A format may use only some of the filters. */
  take(query: AuditQuery): Promise<ApiAnswer<Blob>>;
}

/** The source of the entries. */
export interface AuditSource {
  page(query: AuditQuery, cursor: string | undefined, signal: AbortSignal): Promise<ApiAnswer<RowPage<AuditEntry>>>;
  verify(): Promise<ApiAnswer<AuditVerdict>>;
  readonly files: readonly AuditFile[];
}

const OUTCOMES = [
  ['ok', 'ok'],
  ['refused', 'refused'],
  ['failed', 'failed'],
  ['unknown', 'not known'],
] as const;
const FILTERS = ['actor', 'action', 'target', 'outcome', 'from', 'to'] as const;
/** Filters that match prefixes. */
const BEGINNINGS = ['action', 'actor', 'target'] as const;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { id: 'time', title: LABELS.time, width: 11, narrow: 8.25, cell: ({ time }) => <Time at={time} isShort /> },
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

/** The audit log: filtered, verified, exported. */
export function AuditView({ source }: { readonly source: AuditSource }): VNode {
  const { router } = useKit();
  const { query } = useStore(router);
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query[name] ?? ''])) as AuditQuery;
  const [rows, list] = useRows<AuditEntry>(
    (cursor, signal) => source.page(filters, cursor, signal),
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
      <Proof source={source} query={filters} onLook={() => void list.reload()} />
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
function Proof(props: {
  readonly source: AuditSource;
  readonly query: AuditQuery;
  readonly onLook: () => void;
}): VNode {
  const { source, query } = props;
  const { formats } = useKit();
  const [verdict, setVerdict] = useState<AuditVerdict>();
  const [failure, setFailure] = useState<ApiFailure>();
  const verify = async (): Promise<void> => {
    setVerdict(undefined);
    const answer = await source.verify();
    if (answer.ok) setVerdict(answer.value);
    setFailure(answer.ok ? undefined : answer.failure);
  };
  const take = async (file: AuditFile): Promise<void> => {
    const answer = await file.take(query);
    setFailure(answer.ok ? undefined : answer.failure);
    if (answer.ok) saveFile(file.name, answer.value);
    // The log records the export itself, so the view reloads.
    props.onLook();
  };
  return (
    <>
      <div class="toolbar">
        <ActionButton onAct={verify}>
          <Icon name="audit" /> Verify the chain
        </ActionButton>
        {source.files.map((file) => (
          <ActionButton key={file.name} onAct={() => take(file)}>
            <Icon name="save" /> {query.from === '' && query.to === '' ? 'Export all' : 'Export this time'}
            {file.label === undefined ? '' : ` as ${file.label}`}
          </ActionButton>
        ))}
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

/** One entry in full, with its changes and its place in the chain. */
function EntryDetails({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }): VNode {
  return (
    <Dialog title={`${entry.action}, entry ${entry.seq}`} shape="side" onClose={onClose}>
      <Outcome outcome={entry.outcome} />
      <p>{entry.sentence}</p>
      <Facts
        facts={[
          ['Time', <Time at={entry.time} />],
          ['By', entry.actor],
          ['Of', entry.target],
          ['Reason', entry.reason || null],
        ]}
      />
      <h3 class="part-title">What changed</h3>
      <pre class="whole-text" tabIndex={0}>
        {JSON.stringify(entry.diff, null, 2)}
      </pre>
      <Facts
        facts={[
          ['Hash', <code>{entry.hash}</code>],
          ['Of the entry before', <code>{entry.prev_hash}</code>],
        ]}
      />
    </Dialog>
  );
}

const TONES = { ok: 'good', refused: 'warn', failed: 'bad' } as const;

/** A badge with the outcome of an action. */
function Outcome({ outcome }: { readonly outcome: string }): VNode {
  const tone = Object.hasOwn(TONES, outcome) ? TONES[outcome as keyof typeof TONES] : 'idle';
  return <Badge tone={tone}>{outcome}</Badge>;
}
