import type { ComponentChildren, VNode } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { Empty } from './states.js';

/** Catches an error of one section, so the rest of the page keeps working. */
export function FaultBoundary({ children }: { readonly children: ComponentChildren }): VNode {
  const [fault, reset] = useErrorBoundary();
  if (fault === undefined) return <>{children}</>;
  return (
    <Empty icon="warning" title="This part of the page failed.">
      <p>The server may have been updated since.</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Load the page again
      </button>
      <button type="button" class="button" onClick={reset}>
        Try again
      </button>
    </Empty>
  );
}
