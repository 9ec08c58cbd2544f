import { useEffect, useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { useKit } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { CheckedText } from '../api/config-answers.js';

/** Delay between the last keystroke and the check, in milliseconds. */
const TYPING_MS = 300;

/** The last check of a text. `isCurrent`: the text has not changed since the check. */
export interface Checked {
  readonly checked: CheckedText | undefined;
  readonly failure: ApiFailure | undefined;
  readonly isCurrent: boolean;
}

/** Checks a text while the user types. `version`: the version of the file for comparison. */
export function useChecked(text: string, version: string): Checked {
  const { api } = useAdmin();
  const { clock } = useKit();
  const [state, setState] = useState<
    { readonly text: string; readonly version: string } & Omit<Checked, 'isCurrent'>
  >();
  useEffect(() => {
    const controller = new AbortController();
    const check = async (): Promise<void> => {
      const answer = await api.checkConfig(text, controller.signal);
      if (controller.signal.aborted) return;
      setState(
        answer.ok
          ? { text, version, checked: answer.value, failure: undefined }
          : { text, version, checked: undefined, failure: answer.failure },
      );
    };
    const cancel = clock.after(TYPING_MS, () => void check());
    return () => {
      cancel();
      controller.abort();
    };
  }, [text, version]);
  return {
    checked: state?.checked,
    failure: state?.failure,
    isCurrent: state !== undefined && state.text === text && state.version === version,
  };
}
