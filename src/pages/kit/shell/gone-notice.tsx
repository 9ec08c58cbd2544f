import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useKit } from '../page/kit.js';
import { useStore } from '../page/use-store.js';
import { Note } from '../views/states.js';

/** Says on every section that the server does not answer, within 5 s, and takes that away once it answers again. */
export function GoneNotice({ server }: { readonly server: string }): VNode | null {
  const { serverWatch, formats, notify } = useKit();
  const { isGone, heardMs } = useStore(serverWatch.state);
  const wasGone = useRef(false);
  useEffect(serverWatch.watch, [serverWatch]);
  useEffect(() => {
    if (wasGone.current && !isGone) notify(`The ${server} answers again.`);
    wasGone.current = isGone;
  }, [isGone]);
  if (!isGone) return null;
  return (
    <div class="shell-banner" role="alert">
      <Note tone="bad">
        <strong>The {server} does not answer.</strong>{' '}
        {heardMs === undefined
          ? 'It may be stopped, or the way to it may be closed.'
          : `What you see is older than ${formats.moment(heardMs)}.`}{' '}
        This page goes on by itself when it is back.
      </Note>
    </div>
  );
}
