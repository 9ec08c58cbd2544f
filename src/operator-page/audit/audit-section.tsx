import type { VNode } from 'preact';
import { DataTable, Dialog, Empty, Facts, Time, useKit, useRows, useStore, type Column } from '../../page-kit/index.js';
import { LABELS } from '../../words/index.js';
import type { AuditEntry } from '../api/operator-api.js';
import { useOperator } from '../operator.js';

const COLUMNS: readonly Column<AuditEntry>[] = [
  { id: 'time', title: LABELS.time, width: 10, narrow: 8.25, cell: ({ time }) => <Time at={time} isShort /> },
  { id: 'action', title: LABELS.action, width: 10, narrow: 8, cell: ({ action }) => action },
  { id: 'target', title: LABELS.of, width: 18, narrow: 8, cell: ({ target }) => target },
  { id: 'actor', title: LABELS.by, width: 12, cell: ({ actor }) => actor },
  { id: 'seq', title: LABELS.number, width: 5.5, isExtra: true, align: 'end', cell: ({ seq }) => seq },
];

/** Who changed what, the newest first. An entry is written with its change, and cannot be changed. */
export function AuditSection(): VNode {
  const { api } = useOperator();
  const { router } = useKit();
  const { open = '' } = useStore(router).query;
  const [rows, list] = useRows<AuditEntry>(
    (cursor, signal) => api.page('audit.list', 'entries', {}, cursor, signal),
    [],
  );
  const opened = rows.rows.find(({ seq }) => String(seq) === open);
  return (
    <div class="fill">
      <DataTable
        label="Audit log"
        state={rows}
        columns={COLUMNS}
        keyOf={({ seq }) => String(seq)}
        onMore={() => void list.more()}
        onReload={() => void list.reload()}
        onOpen={({ seq }) => router.setQuery({ open: String(seq) })}
        {...(open !== '' && { openKey: open })}
        empty={<Empty icon="audit" title="Nothing was changed yet" />}
      />
      {opened !== undefined && (
        <Dialog
          title={`${opened.action}, entry ${opened.seq}`}
          shape="side"
          onClose={() => router.setQuery({ open: '' })}
        >
          <Facts
            facts={[
              ['Time', <Time at={opened.time} />],
              ['By', opened.actor],
              ['Of', opened.target],
            ]}
          />
          <h3 class="part-title">What changed</h3>
          <pre class="whole-text" tabIndex={0}>
            {JSON.stringify(opened.diff, null, 2)}
          </pre>
        </Dialog>
      )}
    </div>
  );
}
