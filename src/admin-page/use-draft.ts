import { useState } from 'preact/hooks';

/** What is wrong with fields, by their names. */
export type FieldErrors = Readonly<Record<string, string>>;

/** What is typed into a form. */
export interface DraftState<D> {
  readonly draft: D;
  readonly setDraft: (draft: D) => void;
  /** Empty until somebody tried to save it. */
  readonly errors: FieldErrors;
  /** Somebody wants to save it. False: something is wrong, and `errors` says what. */
  readonly onTry: () => boolean;
}

/** What the fields of a form are drawn from. */
export interface DraftFields<D> {
  readonly draft: D;
  readonly errors: FieldErrors;
  readonly onChange: (draft: D) => void;
}

/** A draft that begins as `start`, whose errors are shown once somebody tried to save it. */
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
