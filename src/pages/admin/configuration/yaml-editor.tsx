import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { plural } from '../../../words/index.js';
import { Badge, Conflict, Diff, FailureNote, TextEditor, useKit, useStore, type TextProblem } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { CheckedText, Problem, ShownConfig } from '../api/config-answers.js';
import { savedWords } from '../saved-note.js';
import { NO_DRAFT } from './config-draft.js';
import { Review } from './review.js';
import { useChecked } from './use-checked.js';

/** A text editor for the file, which checks while the user types. It keeps unsaved text while the page is open. */
export function YamlEditor({ config, onSaved }: { readonly config: ShownConfig; readonly onSaved: () => void }): VNode {
  const { api, draft } = useAdmin();
  const { notify } = useKit();
  const { text: typed, etag } = useStore(draft);
  const text = typed ?? config.text;
  const isDirty = typed !== undefined && typed !== config.text;
  const { checked, failure: notChecked, isCurrent } = useChecked(text, config.etag);
  const [isReview, setReview] = useState(false);
  const [theirs, setTheirs] = useState<{ readonly etag: string; readonly checked: CheckedText }>();
  const isValid = isCurrent && checked?.valid === true;
  useWarning(isDirty);
  const onInput = (value: string): void =>
    draft.set(value === config.text ? NO_DRAFT : { text: value, etag: typed === undefined ? config.etag : etag });
  const save = async (by: string): Promise<ApiFailure | undefined> => {
    const answer = await api.writeConfig(text, by);
    if (answer.ok) {
      draft.set(NO_DRAFT);
      setReview(false);
      notify(savedWords(answer.value));
      onSaved();
      return undefined;
    }
    if (answer.failure.status !== 412) return answer.failure;
    const controller = new AbortController();
    const [now, differing] = await Promise.all([api.config(), api.checkConfig(text, controller.signal)]);
    if (!now.ok) return now.failure;
    if (!differing.ok) return differing.failure;
    setReview(false);
    setTheirs({ etag: now.value.etag, checked: differing.value });
    return undefined;
  };
  return (
    <>
      <div class="toolbar">
        <button type="button" class="button primary" disabled={!isDirty || !isValid} onClick={() => setReview(true)}>
          Review and save
        </button>
        <button type="button" class="button" disabled={!isDirty} onClick={() => draft.set(NO_DRAFT)}>
          Undo all
        </button>
        <span role="status">
          <CheckState checked={checked} isCurrent={isCurrent} isDirty={isDirty} />
        </span>
        <span class="toolbar-space" />
        <code class="muted path">{config.path}</code>
      </div>
      {notChecked !== undefined && <FailureNote failure={notChecked} />}
      <TextEditor
        label="gateway.yaml"
        value={text}
        onInput={onInput}
        problems={problemsOf(checked)}
        onSave={() => isDirty && isValid && setReview(true)}
      />
      {isReview && checked !== undefined && (
        <Review
          title="Save gateway.yaml?"
          diff={checked.diff}
          action="Save"
          onSave={() => save(etag)}
          onClose={() => setReview(false)}
        />
      )}
      {theirs !== undefined && (
        <Conflict
          what="gateway.yaml"
          onMine={async () => {
            const failed = await save(theirs.etag);
            setTheirs(undefined);
            if (failed !== undefined) notify(failed.message);
          }}
          onTheirs={() => {
            draft.set(NO_DRAFT);
            setTheirs(undefined);
            onSaved();
          }}
          onBack={() => {
            draft.set({ etag: theirs.etag });
            setTheirs(undefined);
            onSaved();
          }}
        >
          <p class="muted">From the file as it is now (−) to yours (+):</p>
          <Diff diff={theirs.checked.diff} label="From the file as it is now to yours" />
        </Conflict>
      )}
    </>
  );
}

function CheckState(props: {
  readonly checked: CheckedText | undefined;
  readonly isCurrent: boolean;
  readonly isDirty: boolean;
}): VNode {
  const { checked, isCurrent, isDirty } = props;
  if (checked === undefined || !isCurrent) return <Badge tone="idle">checking</Badge>;
  const { valid, problems, warnings, diff } = checked;
  if (!valid) return <Badge tone="bad">{`${problems.length} ${plural(problems.length, 'mistake')}`}</Badge>;
  const changes = isDirty
    ? `, ${diff.added} ${plural(diff.added, 'line')} added, ${diff.removed} removed`
    : ', nothing changed';
  if (warnings.length > 0) return <Badge tone="warn">{`usable, ${warnings.length} warnings${changes}`}</Badge>;
  return <Badge tone="good">{`usable${changes}`}</Badge>;
}

function problemsOf(checked: CheckedText | undefined): readonly TextProblem[] {
  const toProblem =
    (isWarning: boolean) =>
    ({ line, column, message }: Problem): TextProblem => ({ line, column, message, isWarning });
  return [...(checked?.problems ?? []).map(toProblem(false)), ...(checked?.warnings ?? []).map(toProblem(true))];
}

/** Makes the browser ask before it leaves the page with unsaved text. */
function useWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isDirty]);
}
