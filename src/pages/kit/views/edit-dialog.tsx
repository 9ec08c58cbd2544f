import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiAnswer, ApiFailure } from '../../data/index.js';
import { ActionButton } from './action-button.js';
import { Conflict } from './conflict.js';
import { Dialog } from './dialog.js';
import { FailureNote } from './states.js';

/** A version of an object: its fields as texts, and its etag. */
export interface ShownVersion {
  readonly texts: Readonly<Record<string, string>>;
  readonly etag: string;
}

/** The properties of a window that changes an object. */
export interface EditDialogProps<T> {
  readonly title: string;
  /** The object that other users may have changed, as the beginning of a sentence. */
  readonly what: string;
  readonly action?: string;
  /** The etag of the version with which the form started. */
  readonly etag: string;
  /** The typed fields as texts. */
  readonly mine: Readonly<Record<string, string>>;
  /** Called when the user saves. False: a field is wrong, and the form shows it. */
  readonly onTry: () => boolean;
  readonly send: (etag: string) => Promise<ApiAnswer<T>>;
  /** Reads the current version after another user's change. */
  readonly readNow: () => Promise<ApiAnswer<ShownVersion>>;
  readonly onSaved: (saved: T) => void;
  /** Called if the user takes the current version instead. */
  readonly onTheirs: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form that saves with an etag. After another user's change it shows both versions and loses neither. */
export function EditDialog<T>(props: EditDialogProps<T>): VNode {
  const { title, what, action = 'Save', mine, onTry, send, readNow, onSaved, onTheirs, onClose, children } = props;
  const [etag, setEtag] = useState(props.etag);
  const [failure, setFailure] = useState<ApiFailure>();
  const [theirs, setTheirs] = useState<ShownVersion>();
  const save = async (by: string): Promise<void> => {
    setFailure(undefined);
    if (!onTry()) return;
    const answer = await send(by);
    if (answer.ok) return onSaved(answer.value);
    if (answer.failure.status !== 412) return setFailure(answer.failure);
    const now = await readNow();
    if (now.ok) setTheirs(now.value);
    else setFailure(now.failure);
  };
  if (theirs !== undefined) {
    const back = (): void => {
      setEtag(theirs.etag);
      setTheirs(undefined);
    };
    const fields = Object.entries(mine).map(([name, value]) => ({
      name,
      theirs: theirs.texts[name] ?? 'not there',
      mine: value,
    }));
    const saveMine = async (): Promise<void> => {
      back();
      await save(theirs.etag);
    };
    return <Conflict what={what} fields={fields} onMine={saveMine} onTheirs={onTheirs} onBack={back} />;
  }
  return (
    <Dialog
      title={title}
      shape="side"
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <ActionButton kind="primary" onAct={() => save(etag)}>
            {action}
          </ActionButton>
        </>
      }
    >
      {children}
      {failure !== undefined && <FailureNote failure={failure} />}
    </Dialog>
  );
}
