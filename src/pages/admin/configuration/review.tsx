import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { plural } from '../../../words/index.js';
import { ActionButton, Dialog, Diff, FailureNote } from '../../kit/index.js';
import type { Diff as TextDiff } from '../api/config-answers.js';

/** Shows the effect of a change on the file before it is saved. */
export function Review(props: {
  readonly title: string;
  readonly diff: TextDiff;
  readonly action: string;
  /** Undefined: it was saved, or the caller handles the failure. */
  readonly onSave: () => Promise<ApiFailure | undefined>;
  readonly onClose: () => void;
  /** Notes beside the lines. */
  readonly children?: ComponentChildren;
}): VNode {
  const { title, diff, action, onSave, onClose, children } = props;
  const [failure, setFailure] = useState<ApiFailure>();
  return (
    <Dialog
      title={title}
      shape="wide"
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            Back
          </button>
          <ActionButton kind="primary" onAct={async () => setFailure(await onSave())}>
            {action}
          </ActionButton>
        </>
      }
    >
      {children}
      <p class="muted">
        {plural(diff.added, '1 line', `${diff.added} lines`)} added, {diff.removed} removed. The text before stays in
        the history.
      </p>
      <Diff diff={diff} label="What changes in gateway.yaml" />
      {failure !== undefined && <FailureNote failure={failure} />}
    </Dialog>
  );
}
