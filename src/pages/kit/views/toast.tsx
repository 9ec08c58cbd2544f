import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { PageClock, Store } from '../../data/index.js';
import { useStore } from '../page/use-store.js';

/** The current notice, if any. */
export interface Notices {
  readonly text: string | undefined;
}

/** Long enough to read it, in milliseconds. */
const NOTICE_MS = 5_000;

/** A short message in a corner that disappears by itself. */
export function Toast({ notices, clock }: { readonly notices: Store<Notices>; readonly clock: PageClock }): VNode {
  const { text } = useStore(notices);
  useEffect(() => {
    if (text === undefined) return undefined;
    return clock.after(NOTICE_MS, () => notices.set({ text: undefined }));
  }, [text]);
  return (
    <div class="toasts" role="status">
      {text !== undefined && (
        <p class="toast">
          <span>{text}</span>
        </p>
      )}
    </div>
  );
}
