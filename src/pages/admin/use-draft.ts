import { useState } from 'preact/hooks';

/** Errors by field name. */
export type FieldErrors = Readonly<Record<string, string>>;

/** The typed values of a form. */
export interface DraftState<D> {
  readonly draft: D;
  readonly setDraft: (draft: D) => void;
  /** Empty until the first try to save. */
  readonly errors: FieldErrors;
  /** Records a try to save. False: the draft has errors, listed in `errors`. */
  readonly onTry: () => boolean;
}

/** The properties of the fields of a form. */
export interface DraftFields<D> {
  readonly draft: D;
  readonly errors: FieldErrors;
  readonly onChange: (draft: D) => void;
}

/** A draft that starts with the values of `start`. It reports errors from the first try to save. */
export function useDraft<D>(start: () => D, errorsOf: (draft: D) => FieldErrors): DraftState<D> {
  const [draft, setDraft] = useState(start);
  const [isTried, setTried] = useState(false);
  const errors = errorsOf(draft);
  const onTry = (): boolean => {
    setTried(true);
    return Object.keys(errors).length === 0;
  };
  return { draft, setDraft, errors: isTried ? errors : {}, onTry };
}
