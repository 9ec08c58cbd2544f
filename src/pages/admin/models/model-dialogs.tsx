import type { VNode } from 'preact';
import { mapAnswer, type ApiAnswer } from '../../data/index.js';
import { useLoad } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { Model, Saved } from '../api/config-answers.js';
import { FileEdit } from '../file-edit.js';
import { useDraft } from '../use-draft.js';
import { EMPTY_MODEL, errorsOf, toDraft, toRules, toTexts, type ModelDraft } from './model-draft.js';
import { ModelFields } from './model-form.js';

/** Adds a model, or changes one. */
export function EditModel(props: {
  /** Absent: a new model. */
  readonly shown?: Model;
  readonly etag: string;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}): VNode {
  const { shown, etag, onSaved, onClose } = props;
  const { api } = useAdmin();
  const start = (): ModelDraft => (shown === undefined ? EMPTY_MODEL : toDraft(shown));
  const { draft, setDraft, errors, onTry } = useDraft(start, errorsOf);
  const runtimes = useLoad((call) => api.runtimes(call), []).value?.data.map(({ id }) => id) ?? [];
  const id = shown?.id ?? draft.id.trim();
  const send = (by: string): Promise<ApiAnswer<Saved>> => {
    const { max_output_tokens: tokens, price, targets } = toRules(draft);
    if (shown !== undefined) return api.changeModel(id, { max_output_tokens: tokens, price, targets }, by);
    const given = { ...(tokens !== null && { max_output_tokens: tokens }), ...(price !== null && { price }) };
    return api.createModel({ id, targets, ...given }, by);
  };
  return (
    <FileEdit
      title={shown === undefined ? 'New model' : `Change ${id}`}
      etag={etag}
      mine={toTexts(draft)}
      onTry={onTry}
      send={send}
      readNow={async () =>
        mapAnswer(await api.models(), ({ data, config_etag: now }) => {
          const theirs = data.find((model) => model.id === id);
          return { etag: now, texts: theirs && toTexts(toDraft(theirs)) };
        })
      }
      onSaved={onSaved}
      onClose={onClose}
    >
      <ModelFields draft={draft} errors={errors} runtimes={runtimes} isNew={shown === undefined} onChange={setDraft} />
    </FileEdit>
  );
}
