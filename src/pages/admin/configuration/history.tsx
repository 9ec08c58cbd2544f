import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure, Formats } from '../../data/index.js';
import {
  ActionButton,
  Badge,
  DataTable,
  Dialog,
  Diff,
  Empty,
  FailureNote,
  LoadedView,
  Note,
  Time,
  useKit,
  useLoad,
  useNow,
  wholeRows,
  type Column,
} from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import { useAdmin } from '../admin.js';
import type { Version } from '../api/config-answers.js';
import { savedWords } from '../saved-note.js';

/** Earlier versions of the file, with the changes that restoring each would make. */
export function History({ etag, onRestored }: { readonly etag: string; readonly onRestored: () => void }): VNode {
  const { api } = useAdmin();
  const { formats } = useKit();
  const versions = useLoad((call) => api.versions(call), [etag]);
  const [open, setOpen] = useState<string>();
  const now = useNow(30_000);
  return (
    <>
      <DataTable
        label="Texts before"
        state={wholeRows(versions, ({ data }) => data)}
        columns={columnsOf(formats, now)}
        keyOf={({ id }) => id}
        onReload={versions.reload}
        onOpen={({ id }) => setOpen(id)}
        {...(open !== undefined && { openKey: open })}
        empty={
          <Empty icon="file" title="The file was not changed here yet.">
            Each change keeps the text before, the newest hundred of them.
          </Empty>
        }
      />
      {open !== undefined && (
        <OneVersion
          id={open}
          etag={etag}
          onRestored={() => {
            setOpen(undefined);
            onRestored();
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

function columnsOf(formats: Formats, now: number): readonly Column<Version>[] {
  return [
    { id: 'time', title: 'Replaced', width: 14, narrow: 12, cell: ({ saved_at: at }) => formats.dateTime(at) },
    { id: 'ago', title: 'Ago', width: 10, cell: ({ saved_at: at }) => <Time at={at} now={now} /> },
    { id: 'size', title: 'Size', width: 7, align: 'end', cell: ({ size_bytes: size }) => formats.bytes(size) },
    { id: 'id', title: LABELS.version, width: 14, cell: ({ id }) => <code>{id}</code> },
  ];
}

function OneVersion(props: {
  readonly id: string;
  readonly etag: string;
  readonly onRestored: () => void;
  readonly onClose: () => void;
}): VNode {
  const { id, etag, onRestored, onClose } = props;
  const { api } = useAdmin();
  const { notify } = useKit();
  const version = useLoad((call) => api.version(id, call), [id, etag]);
  const [failure, setFailure] = useState<ApiFailure>();
  const restore = async (): Promise<void> => {
    const answer = await api.restoreVersion(id, etag);
    if (!answer.ok) return setFailure(answer.failure);
    notify(savedWords(answer.value));
    onRestored();
  };
  const isSame = version.value?.diff.hunks.length === 0;
  return (
    <Dialog
      title={`Version ${id}`}
      shape="wide"
      onClose={onClose}
      footer={
        <ActionButton kind="primary" isDisabled={version.value?.valid !== true || isSame} onAct={restore}>
          Restore it
        </ActionButton>
      }
    >
      <LoadedView loaded={version} lines={8}>
        {(shown) => (
          <>
            <div class="toolbar">
              <Badge tone={shown.valid ? 'good' : 'bad'}>{shown.valid ? 'usable' : 'not usable'}</Badge>
              <span class="muted">From the file as it is now (−) to this version (+).</span>
            </div>
            <Diff diff={shown.diff} label="From the file as it is now to this version" />
            <details>
              <summary class="muted">The whole text</summary>
              <pre class="whole-text scroll-y" tabIndex={0}>
                {shown.text}
              </pre>
            </details>
          </>
        )}
      </LoadedView>
      {failure?.status === 412 ? (
        <Note tone="warn">The file has changed since. Close this window and look again before you restore.</Note>
      ) : (
        failure !== undefined && <FailureNote failure={failure} />
      )}
    </Dialog>
  );
}
