import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { mapAnswer, type ApiFailure } from '../../data/index.js';
import { ActionButton, CopyField, Dialog, EditDialog, FailureNote, Note, useKit, useLoad } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { Key, KeyWithSecret } from '../api/key-answers.js';
import { EMPTY_KEY, errorsOf, toDraft, toRules, toTexts } from './key-draft.js';
import { useDraft } from '../use-draft.js';
import { GraceField, KeyFields } from './key-form.js';

function useModelIds(): readonly string[] {
  const { api } = useAdmin();
  return useLoad((call) => api.models(call), []).value?.data.map(({ id }) => id) ?? [];
}

/** Creates a key. */
export function CreateKey(props: {
  readonly onMade: (made: KeyWithSecret) => void;
  readonly onClose: () => void;
}): VNode {
  const { api } = useAdmin();
  const { draft, setDraft, errors, onTry } = useDraft(() => EMPTY_KEY, errorsOf);
  const [failure, setFailure] = useState<ApiFailure>();
  const save = async (): Promise<void> => {
    if (!onTry()) return;
    const answer = await api.createKey(toRules(draft));
    if (answer.ok) props.onMade(answer.value);
    else setFailure(answer.failure);
  };
  return (
    <Dialog
      title="New key"
      shape="side"
      onClose={props.onClose}
      footer={
        <>
          <button type="button" class="button" onClick={props.onClose}>
            Cancel
          </button>
          <ActionButton kind="primary" onAct={save}>
            Create key
          </ActionButton>
        </>
      }
    >
      <KeyFields draft={draft} errors={errors} models={useModelIds()} onChange={setDraft} />
      {failure !== undefined && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** Changes a key. */
export function EditKey(props: {
  /** The key at the opening of the form. */
  readonly shown: Key;
  readonly onSaved: (key: Key) => void;
  readonly onTheirs: () => void;
  readonly onClose: () => void;
}): VNode {
  const { onSaved, onTheirs, onClose } = props;
  const { api } = useAdmin();
  // The list refreshes while the form is open, so the form keeps its first version.
  const [shown] = useState(props.shown);
  const { draft, setDraft, errors, onTry } = useDraft(() => toDraft(shown), errorsOf);
  const models = useModelIds();
  return (
    <EditDialog
      title={`Change ${shown.name}`}
      what={`The key ${shown.name}`}
      etag={shown.etag}
      mine={toTexts(draft)}
      onTry={onTry}
      send={(etag) => api.changeKey(shown.id, toRules(draft, shown), etag)}
      readNow={async () =>
        mapAnswer(await api.key(shown.id), ({ key }) => ({ etag: key.etag, texts: toTexts(toDraft(key)) }))
      }
      onSaved={({ key }) => onSaved(key)}
      onTheirs={onTheirs}
      onClose={onClose}
    >
      {shown.origin === 'file' && (
        <Note>This key is in gateway.yaml: the change is written there, and its comments stay.</Note>
      )}
      <KeyFields draft={draft} errors={errors} models={models} onChange={setDraft} />
    </EditDialog>
  );
}

/** Gives a key a new secret. */
export function RotateKey(props: {
  readonly shown: Key;
  readonly onMade: (made: KeyWithSecret) => void;
  readonly onClose: () => void;
}): VNode {
  const { api } = useAdmin();
  const [grace, setGrace] = useState('86400');
  const [failure, setFailure] = useState<ApiFailure>();
  const rotate = async (): Promise<void> => {
    const answer = await api.rotateKey(props.shown.id, Number(grace));
    if (answer.ok) props.onMade(answer.value);
    else setFailure(answer.failure);
  };
  return (
    <Dialog
      title={`Rotate ${props.shown.name}`}
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
      <p>The key gets a new secret. Its id, its limits and its usage stay.</p>
      <GraceField value={grace} onChange={setGrace} />
      {grace === '0' && (
        <Note tone="warn">
          Every older secret of this key ends at once, those of earlier rotations too, and so do their running requests.
        </Note>
      )}
      {failure !== undefined && <FailureNote failure={failure} />}
    </Dialog>
  );
}

/** Shows the secret of a key, once only. */
export function SecretOnce({ made, onClose }: { readonly made: KeyWithSecret; readonly onClose: () => void }): VNode {
  const { formats } = useKit();
  const { grace_until: until } = made.key;
  return (
    <Dialog
      title={`The secret of ${made.key.name}`}
      isHeld
      onClose={onClose}
      footer={
        <button type="button" class="button primary" onClick={onClose}>
          I have kept it
        </button>
      }
    >
      <Note tone="warn">It is shown this once. The gateway keeps only its hash, so it cannot be shown again.</Note>
      <CopyField label="Secret" text={made.secret} />
      <CopyField label="Try it" text={made.curl} />
      {until !== null && <p class="muted">The secret before works until {formats.dateTime(until)}.</p>}
    </Dialog>
  );
}
