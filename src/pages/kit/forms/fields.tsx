import type { ComponentChildren, RefObject, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** The properties of every field. */
export interface FieldProps {
  readonly label: string;
  /** Its name in the file, shown beside a different label. */
  readonly fileName?: string;
  readonly hint?: ComponentChildren;
  /** The error of the value. */
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
}

interface Marks {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
  readonly disabled: boolean | undefined;
}

/** A field with its label above, and a hint or an error below. */
export function Field(props: FieldProps & { readonly children: (marks: Marks) => VNode }): VNode {
  const { label, fileName, hint, error, isDisabled, children } = props;
  const id = useId();
  const said = error ?? hint;
  const marks: Marks = {
    id,
    'aria-describedby': said === undefined ? undefined : `${id}-hint`,
    'aria-invalid': error === undefined ? undefined : true,
    disabled: isDisabled,
  };
  return (
    <div class="field">
      <span class="field-head">
        <label class="field-name" for={id}>
          {label}
        </label>
        {fileName !== undefined && fileName !== label.toLowerCase() && <code class="field-file-name">{fileName}</code>}
      </span>
      {children(marks)}
      {said !== undefined && (
        <span id={`${id}-hint`} class={error === undefined ? 'hint' : 'hint wrong'}>
          {said}
        </span>
      )}
    </div>
  );
}

/** A line of text. */
export function TextField(
  props: FieldProps & {
    readonly value: string;
    readonly onInput: (value: string) => void;
    readonly type?: 'text' | 'search' | 'password' | 'datetime-local' | 'date';
    readonly inputMode?: 'numeric' | 'decimal';
    readonly placeholder?: string;
    readonly isRequired?: boolean;
    readonly maxLength?: number;
    readonly autoComplete?: string;
    readonly field?: RefObject<HTMLInputElement | null>;
    readonly suggestions?: readonly string[];
  },
): VNode {
  const listId = useId();
  const { value, onInput, type = 'text', suggestions } = props;
  return (
    <Field {...props}>
      {(marks) => (
        <>
          <input
            {...marks}
            {...(props.field !== undefined && { ref: props.field })}
            {...({ type } as object)}
            value={value}
            inputMode={props.inputMode}
            placeholder={props.placeholder}
            required={props.isRequired}
            maxLength={props.maxLength}
            autoComplete={props.autoComplete ?? 'off'}
            list={suggestions === undefined ? undefined : listId}
            spellcheck={false}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
          {suggestions !== undefined && (
            <datalist id={listId}>
              {suggestions.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

/** Several lines of text. */
export function TextArea(
  props: FieldProps & {
    readonly value: string;
    readonly onInput: (value: string) => void;
    readonly rows?: number;
    readonly placeholder?: string;
  },
): VNode {
  return (
    <Field {...props}>
      {(marks) => (
        <textarea
          {...marks}
          dir="auto"
          rows={props.rows ?? 3}
          value={props.value}
          placeholder={props.placeholder}
          onInput={(event) => props.onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A choice of one of a few values. */
export function SelectField<T extends string>(
  props: FieldProps & {
    readonly value: T;
    readonly options: readonly (readonly [T, string])[];
    readonly onChange: (value: T) => void;
  },
): VNode {
  return (
    <Field {...props}>
      {(marks) => (
        <select
          {...marks}
          value={props.value}
          onChange={(event) => {
            const chosen = props.options[event.currentTarget.selectedIndex];
            if (chosen !== undefined) props.onChange(chosen[0]);
          }}
        >
          {props.options.map(([value, label]) => (
            <option key={value} value={value} selected={value === props.value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A checkbox. */
export function CheckField(props: {
  readonly label: ComponentChildren;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly hint?: string;
  readonly isDisabled?: boolean;
}): VNode {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.isChecked}
        disabled={props.isDisabled}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>
        {props.label}
        {props.hint !== undefined && <span class="hint">{props.hint}</span>}
      </span>
    </label>
  );
}
