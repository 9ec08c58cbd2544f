import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import {
  ActionButton,
  Card,
  Conflict,
  Empty,
  FailureNote,
  Link,
  LoadedView,
  pressPrimaryOnEnter,
  TextArea,
  TextField,
  useKit,
  useLoad,
} from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { EditedConfig, FormField, ShownConfig } from '../api/config-answers.js';
import { savedWords } from '../saved-note.js';
import { errorsOf, readFormValues, toEdits, toTexts, type FormValue } from './form-fields.js';
import { Review } from './review.js';

const TITLES: Readonly<Record<FormField, string>> = {
  listen: 'Address',
  limits: 'Limits of a request',
  retention: 'How long records are kept',
  passthrough: 'Further paths that are relayed',
  cors_origins: 'Web pages that may call the gateway',
};

/** A form for fields of the file, derived from its schema. Models, runtimes and keys have their own sections. */
export function ConfigForm(props: { readonly config: ShownConfig; readonly onSaved: () => void }): VNode {
  const { api } = useAdmin();
  const schema = useLoad((call) => api.configSchema(call), []);
  if (props.config.values === null) {
    return (
      <Empty icon="warning" title="The file cannot be read as values.">
        <Link to="/configuration?tab=yaml">Mend it as YAML</Link>
      </Empty>
    );
  }
  return (
    <LoadedView loaded={schema} lines={10}>
      {(value) => <Fields {...props} values={readFormValues(value)} />}
    </LoadedView>
  );
}

function Fields(props: {
  readonly config: ShownConfig;
  readonly values: readonly FormValue[];
  readonly onSaved: () => void;
}): VNode {
  const { config, values, onSaved } = props;
  const { api } = useAdmin();
  const { notify } = useKit();
  const before = useMemo(() => toTexts(values, config.values), [config]);
  const [texts, setTexts] = useState(before);
  const [preview, setPreview] = useState<EditedConfig>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [etag, setEtag] = useState(config.etag);
  const [theirs, setTheirs] = useState<ShownConfig>();
  const errors = errorsOf(values, texts);
  const edits = toEdits(values, before, texts, config.text);
  const isDirty = edits.length > 0;
  const meet = async (failed: ApiFailure): Promise<ApiFailure | undefined> => {
    if (failed.status !== 412) return failed;
    const now = await api.config();
    if (!now.ok) return now.failure;
    setPreview(undefined);
    setTheirs(now.value);
    return undefined;
  };
  const review = async (by: string): Promise<void> => {
    const answer = await api.editConfig(edits, by, true);
    if (answer.ok) setPreview(answer.value);
    setFailure(answer.ok ? undefined : await meet(answer.failure));
  };
  const save = async (): Promise<ApiFailure | undefined> => {
    const answer = await api.editConfig(edits, etag, false);
    if (!answer.ok) return meet(answer.failure);
    setPreview(undefined);
    notify(savedWords(answer.value));
    onSaved();
    return undefined;
  };
  const others: Readonly<Record<string, string>> = theirs === undefined ? {} : toTexts(values, theirs.values);
  return (
    <div class="measure" onKeyDown={pressPrimaryOnEnter}>
      <div class="form-cards">
        {(Object.keys(TITLES) as FormField[]).map((field) => (
          <Card key={field} title={TITLES[field]}>
            <div class="field-grid">
              {values
                .filter((value) => value.field === field)
                .map((value) => (
                  <ValueField
                    key={value.path}
                    value={value}
                    text={texts[value.path] ?? ''}
                    error={errors[value.path]}
                    onInput={(text) => setTexts({ ...texts, [value.path]: text })}
                  />
                ))}
            </div>
          </Card>
        ))}
      </div>
      <p class="muted">
        <Link to="/models">Models</Link>, <Link to="/runtimes?tab=runtimes">runtimes</Link> and{' '}
        <Link to="/keys">keys</Link> have sections of their own. Comments and order of the file stay.
      </p>
      {failure !== undefined && <FailureNote failure={failure} />}
      <div class="toolbar save-bar">
        <ActionButton kind="primary" isDisabled={!isDirty || Object.keys(errors).length > 0} onAct={() => review(etag)}>
          Review and save
        </ActionButton>
        <button type="button" class="button" disabled={!isDirty} onClick={() => setTexts(before)}>
          Undo all
        </button>
        <span class="muted">{isDirty ? 'There are changes that are not saved.' : 'Nothing was changed.'}</span>
      </div>
      {preview !== undefined && (
        <Review
          title="Save gateway.yaml?"
          diff={preview.diff}
          action="Save"
          onSave={save}
          onClose={() => setPreview(undefined)}
        />
      )}
      {theirs !== undefined && (
        <Conflict
          what="gateway.yaml"
          fields={values.map(({ path }) => ({ name: path, theirs: others[path] ?? '', mine: texts[path] ?? '' }))}
          onMine={async () => {
            setEtag(theirs.etag);
            setTheirs(undefined);
            await review(theirs.etag);
          }}
          onTheirs={onSaved}
          onBack={() => {
            setEtag(theirs.etag);
            setTheirs(undefined);
          }}
        />
      )}
    </div>
  );
}

function ValueField(props: {
  readonly value: FormValue;
  readonly text: string;
  readonly error: string | undefined;
  readonly onInput: (text: string) => void;
}): VNode {
  const { value, text, error, onInput } = props;
  const { path, label, kind, hint, standard } = value;
  const common = { label, fileName: path, value: text, error, onInput };
  if (kind === 'lines') return <TextArea {...common} rows={3} hint={`${hint} A line each.`} />;
  return (
    <TextField
      {...common}
      hint={`${hint} Usually ${String(standard)}.`}
      {...(kind === 'number' && { inputMode: 'numeric' as const })}
    />
  );
}
