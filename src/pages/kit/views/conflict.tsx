import type { ComponentChildren, VNode } from 'preact';
import { ActionButton } from './action-button.js';
import { Dialog } from './dialog.js';

/** One field in two versions. Equal values are not shown. */
export interface FieldVersions {
  readonly name: string;
  readonly theirs: string;
  readonly mine: string;
}

/** Shows both versions and the choices if another user changed the same object meanwhile. */
export function Conflict(props: {
  readonly what: string;
  readonly fields?: readonly FieldVersions[];
  /** The comparison for objects without fields, such as a text. */
  readonly children?: ComponentChildren;
  readonly onMine: () => Promise<unknown>;
  readonly onTheirs: () => void;
  readonly onBack: () => void;
}): VNode {
  const { what, fields = [], children, onMine, onTheirs, onBack } = props;
  const differing = fields.filter(({ theirs, mine }) => theirs !== mine);
  return (
    <Dialog
      title="Changed by another user"
      shape="wide"
      onClose={onBack}
      footer={
        <>
          <button type="button" class="button" onClick={onBack}>
            Back to editing
          </button>
          <button type="button" class="button" onClick={onTheirs}>
            Take theirs
          </button>
          <ActionButton kind="primary" onAct={onMine}>
            Save mine over it
          </ActionButton>
        </>
      }
    >
      <p>{what} was changed since you opened it. Nothing of yours was saved yet, and nothing of theirs is lost.</p>
      {children ?? (
        <div class="scroll-x" role="region" aria-label="Both versions" tabIndex={0}>
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">As it is now</th>
                <th scope="col">Yours</th>
              </tr>
            </thead>
            <tbody>
              {differing.map(({ name, theirs, mine }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{theirs}</td>
                  <td>{mine}</td>
                </tr>
              ))}
              {differing.length === 0 && (
                <tr>
                  <td colSpan={3}>Both versions have the same values here.</td>
                </tr>
              )}
            </tbody>
          </table>
        </div>
      )}
    </Dialog>
  );
}
