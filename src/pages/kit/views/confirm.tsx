import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { ActionButton } from './action-button.js';
import { Dialog } from './dialog.js';
import { FailureNote } from './states.js';

/** Asks before an irreversible action. If the action fails, it stays open with the reason. */
export function Confirm(props: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  readonly isDanger?: boolean;
  /** Undefined: success. */
  readonly onConfirm: () => Promise<ApiFailure | undefined>;
  readonly onClose: () => void;
}): VNode {
  const [failure, setFailure] = useState<ApiFailure>();
  const act = async (): Promise<void> => {
    const failed = await props.onConfirm();
    setFailure(failed);
    if (failed === undefined) props.onClose();
  };
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      footer={
        <>
          <button type="button" class="button" onClick={props.onClose}>
            Cancel
          </button>
          <ActionButton kind={props.isDanger === true ? 'danger' : 'primary'} onAct={act}>
            {props.action}
          </ActionButton>
        </>
      }
    >
      <div class="prose">{props.children}</div>
      {failure !== undefined && <FailureNote failure={failure} />}
    </Dialog>
  );
}
