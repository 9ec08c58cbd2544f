import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { ActionButton, Dialog, FailureNote, SubmitOnEnter, TextField } from '../../kit/index.js';

/** A text field of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly initial?: string;
  readonly isOptional?: boolean;
  readonly isSecret?: boolean;
}

/** A window with a few fields. If its action fails, it stays open with the reason. */
export function FormDialog(props: {
  readonly title: string;
  readonly action: string;
  readonly fields: readonly FormField[];
  readonly children?: ComponentChildren;
  /** Undefined: success. Empty fields are absent from the values. */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<ApiFailure | undefined>;
  readonly onClose: () => void;
}): VNode {
  const { title, action, fields, onSubmit, onClose } = props;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial])),
  );
  const [isTried, setTried] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const isMissing = ({ name, isOptional }: FormField): boolean =>
    isOptional !== true && (values[name] ?? '').trim() === '';
  const submit = async (): Promise<void> => {
    setTried(true);
    if (fields.some(isMissing)) return;
    const given = Object.entries(values).map(([name, value]) => [name, value.trim()] as const);
    const failed = await onSubmit(Object.fromEntries(given.filter(([, value]) => value !== '')));
    setFailure(failed);
    if (failed === undefined) onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <ActionButton kind="primary" onAct={submit}>
            {action}
          </ActionButton>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {fields.map((field) => (
          <TextField
            key={field.name}
            label={field.label}
            hint={field.hint}
            type={field.isSecret === true ? 'password' : 'text'}
            value={values[field.name] ?? ''}
            error={isTried && isMissing(field) ? 'This is needed.' : undefined}
            onInput={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
        <SubmitOnEnter />
      </form>
      {props.children}
      {failure !== undefined && <FailureNote failure={failure} />}
    </Dialog>
  );
}
