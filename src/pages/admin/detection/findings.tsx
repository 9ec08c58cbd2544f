import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { ActionButton, Choice, DataTable, Empty, FailureNote, Note, useKit } from '../../kit/index.js';
import { plural } from '../../../words/index.js';
import { useAdmin } from '../admin.js';
import type { Finding, Imported, Scan } from '../api/runtime-answers.js';
import { savedWords } from '../saved-note.js';
import { canImport, findingColumns } from './finding-columns.js';
import { FindingDetails } from './finding-facts.js';
import { ImportReview, previewImport } from './import-review.js';

const SHOWN = [
  ['all', 'All'],
  ['runtimes', 'Runtimes'],
  ['impostors', 'Impostors'],
  ['others', 'Others'],
] as const;
type Shown = (typeof SHOWN)[number][0];

function isShown({ state }: Finding, shown: Shown): boolean {
  switch (shown) {
    case 'runtimes':
      return state === 'found' || state === 'auth';
    case 'impostors':
      return state === 'impostor';
    case 'others':
      return state === 'skipped';
    default:
      return true;
  }
}

const ORDER = ['found', 'auth', 'impostor', 'skipped'] as const;

/** The findings of a scan. An import adds the ticked ones with their models to gateway.yaml. */
export function Findings(props: {
  readonly scan: Scan;
  readonly findings: readonly Finding[];
  readonly onImported: () => void;
}): VNode {
  const { scan, findings, onImported } = props;
  const { api } = useAdmin();
  const { formats } = useKit();
  const [shown, setShown] = useState<Shown>('all');
  const [open, setOpen] = useState<Finding>();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [result, setResult] = useState<Imported>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [review, setReview] = useState<{ readonly urls: readonly string[]; readonly preview: Imported }>();
  const rows = useMemo(
    () =>
      findings
        .filter((finding) => isShown(finding, shown))
        .toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state)),
    [findings, shown],
  );
  const usable = findings.filter(canImport);
  // Leaves out runtimes that were added to the file meanwhile.
  const chosen = usable.filter(({ url }) => ticked.has(url)).map(({ url }) => url);
  const onTick = (url: string, isTicked: boolean): void => {
    const next = new Set(ticked);
    if (isTicked) next.add(url);
    else next.delete(url);
    setTicked(next);
  };
  const onImport = async (): Promise<void> => {
    setResult(undefined);
    const answer = await previewImport(api, scan.id, chosen);
    setFailure(answer.ok ? undefined : answer.failure);
    if (answer.ok) setReview({ urls: chosen, preview: answer.value });
  };
  const onWritten = (imported: Imported): void => {
    setReview(undefined);
    setResult(imported);
    setTicked(new Set());
    onImported();
  };
  return (
    <>
      <div class="toolbar">
        <Choice name="Shown" isNameHidden values={SHOWN} chosen={shown} onChoose={setShown} />
        {usable.length > 0 && (
          <button
            type="button"
            class="button quiet"
            onClick={() => setTicked(new Set(chosen.length === usable.length ? [] : usable.map(({ url }) => url)))}
          >
            {chosen.length === usable.length ? 'Untick all' : `Tick all ${formats.count(usable.length)}`}
          </button>
        )}
        <span class="toolbar-space" />
        <ActionButton kind="primary" isDisabled={chosen.length === 0} onAct={onImport}>
          {chosen.length === 0 ? 'Approve and import' : `Approve and import ${formats.count(chosen.length)}`}
        </ActionButton>
      </div>
      {failure !== undefined && <FailureNote failure={failure} />}
      {result !== undefined && (
        <Note tone={result.refused === null ? 'good' : 'warn'}>
          {formats.counted(result.runtimes.length, 'runtime')} ({result.runtimes.join(', ')}) with{' '}
          {formats.counted(result.models.length, 'new model')} {plural(result.runtimes.length, 'was', 'were')} imported.{' '}
          {savedWords(result)}
          {result.left_out > 0 && ` No space in the file for ${formats.counted(result.left_out, 'entry', 'entries')}.`}
        </Note>
      )}
      <DataTable
        label="Findings"
        state={{ rows, total: rows.length, phase: 'end', failure: undefined }}
        columns={findingColumns(formats, ticked, onTick)}
        keyOf={({ url }) => url}
        onReload={onImported}
        onOpen={setOpen}
        {...(open !== undefined && { openKey: open.url })}
        empty={
          <Empty
            icon="radar"
            title={scan.state === 'running' ? 'Nothing was found so far.' : 'Nothing of this kind was found.'}
          >
            {scan.state !== 'running' &&
              'A runtime that listens on another port is found when that port is named, and one that is stopped is not.'}
          </Empty>
        }
      />
      {open !== undefined && <FindingDetails finding={open} onClose={() => setOpen(undefined)} />}
      {review !== undefined && (
        <ImportReview
          api={api}
          scanId={scan.id}
          {...review}
          onImported={onWritten}
          onClose={() => setReview(undefined)}
        />
      )}
    </>
  );
}
