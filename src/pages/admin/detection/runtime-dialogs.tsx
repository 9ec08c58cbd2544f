import type { VNode } from 'preact';
import { mapAnswer, type ApiAnswer } from '../../data/index.js';
import { SelectField, TextField } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { Saved } from '../api/config-answers.js';
import type { Runtime, RuntimeKind } from '../api/runtime-answers.js';
import { FileEdit, IdField } from '../file-edit.js';
import { useDraft, type DraftFields } from '../use-draft.js';
import { errorsOf, toDraft, toRules, toTexts, type RuntimeDraft } from './runtime-draft.js';

/** Adds a runtime manually, or changes one. */
export function EditRuntime(props: {
  /** Absent: a new runtime. */
  readonly shown?: Runtime;
  readonly kinds: readonly RuntimeKind[];
  readonly etag: string;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}): VNode {
  const { shown, kinds, etag, onSaved, onClose } = props;
  const { api } = useAdmin();
  const { draft, setDraft, errors, onTry } = useDraft(() => toDraft(shown, kinds[0]?.kind ?? ''), errorsOf);
  const send = (by: string): Promise<ApiAnswer<Saved>> => {
    const rules = toRules(draft);
    if (shown !== undefined) return api.changeRuntime(shown.id, rules, by);
    const { api_key: key, ...others } = rules;
    return api.createRuntime({ id: draft.id, kind: draft.kind, ...others, ...(key !== null && { api_key: key }) }, by);
  };
  return (
    <FileEdit
      title={shown === undefined ? 'New runtime' : `Change ${shown.id}`}
      etag={etag}
      mine={toTexts(draft)}
      onTry={onTry}
      send={send}
      readNow={async () =>
        mapAnswer(await api.runtimes(), ({ data, config_etag: now }) => {
          const theirs = data.find((runtime) => runtime.id === draft.id);
          return { etag: now, texts: theirs && toTexts(toDraft(theirs, '')) };
        })
      }
      onSaved={onSaved}
      onClose={onClose}
    >
      <RuntimeFields draft={draft} errors={errors} kinds={kinds} isNew={shown === undefined} onChange={setDraft} />
    </FileEdit>
  );
}

function RuntimeFields(
  props: DraftFields<RuntimeDraft> & { readonly kinds: readonly RuntimeKind[]; readonly isNew: boolean },
): VNode {
  const { draft, errors, kinds, isNew } = props;
  const change = (part: Partial<RuntimeDraft>): void => props.onChange({ ...draft, ...part });
  return (
    <div class="form">
      {isNew && (
        <>
          <IdField
            id={draft.id}
            error={errors['id']}
            hint="Its name within the file."
            onInput={(id) => change({ id })}
          />
          <SelectField
            label="Kind"
            fileName="kind"
            value={draft.kind}
            options={kinds.map(({ kind, title }) => [kind, title])}
            hint="Adding a runtime by hand approves whatever listens there."
            onChange={(kind) => change({ kind })}
          />
        </>
      )}
      <TextField
        label="Address"
        fileName="base_url"
        value={draft.baseUrl}
        error={errors['baseUrl']}
        placeholder="http://127.0.0.1:8000"
        hint="Without /v1."
        onInput={(baseUrl) => change({ baseUrl })}
      />
      <SelectField
        label="Metering"
        fileName="metering"
        value={draft.metering}
        options={[
          ['inject', 'Ask the runtime for usage'],
          ['observe', 'Count by itself, estimated'],
        ]}
        onChange={(metering) => change({ metering })}
      />
      <SelectField
        label="Translation"
        fileName="translate"
        value={draft.translate}
        options={[
          ['yes', 'Messages and Responses as chat completions'],
          ['no', 'Only what the runtime has'],
        ]}
        hint="For requests by an API that the runtime lacks."
        onChange={(translate) => change({ translate })}
      />
      <SelectField
        label="Its key"
        fileName="api_key"
        value={draft.keyFrom}
        options={[
          ['none', 'It asks for none'],
          ['env', 'From an environment variable'],
          ['file', 'From a file'],
        ]}
        hint="gateway.yaml has no secret, only where it is."
        onChange={(keyFrom) => change({ keyFrom })}
      />
      {draft.keyFrom !== 'none' && (
        <TextField
          label={draft.keyFrom === 'env' ? 'Name of the variable' : 'Path of the file'}
          value={draft.keyPlace}
          error={errors['keyPlace']}
          onInput={(keyPlace) => change({ keyPlace })}
        />
      )}
    </div>
  );
}
