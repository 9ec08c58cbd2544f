import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { SelectField } from '../forms/fields.js';
import { ActionButton } from './action-button.js';
import { Dialog } from './dialog.js';
import { FailureNote, Note } from './states.js';

/** Seconds for which the previous secret stays valid. */
const GRACES = [
  ['0', 'not at all: every older secret ends at once'],
  ['900', 'a quarter of an hour'],
  ['3600', 'an hour'],
  ['86400', 'a day'],
  ['604800', 'a week'],
] as const;

/** Asks how long the previous secret stays valid, and gives the key a new one. */
export function RotateKey(props: {
  readonly name: string;
  /** Undefined: success. */
  readonly onRotate: (graceMs: number) => Promise<ApiFailure | undefined>;
  readonly onClose: () => void;
}): VNode {
  const [grace, setGrace] = useState('900');
  const [failure, setFailure] = useState<ApiFailure>();
  const rotate = async (): Promise<void> => {
    const failed = await props.onRotate(Number(grace) * 1_000);
    setFailure(failed);
    if (failed === undefined) props.onClose();
  };
  return (
    <Dialog
      title={`Rotate ${props.name}`}
      onClose={props.onClose}
      footer={
        <>
          <button type="button" class="button" onClick={props.onClose}>
            Cancel
          </button>
          <ActionButton kind="primary" onAct={rotate}>
            Rotate
          </ActionButton>
        </>
      }
    >
      <p>The key gets a new secret, which is shown once. Its id, its limits and its usage stay.</p>
      <SelectField label="The secret before is still taken" value={grace} options={GRACES} onChange={setGrace} />
      {grace === '0' && (
        <Note tone="warn">Every older secret of the key ends at once, and so do its running requests.</Note>
      )}
      {failure !== undefined && <FailureNote failure={failure} />}
    </Dialog>
  );
}
