import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** A button for a slow action. It cannot be pressed twice, and shows that the action is running. */
export function ActionButton(props: {
  readonly onAct: () => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly kind?: 'primary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly isDisabled?: boolean;
}): VNode {
  const [isBusy, setBusy] = useState(false);
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => void (isThere.current = false);
  }, []);
  const act = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await props.onAct();
    if (isThere.current) setBusy(false);
  };
  return (
    <button
      type="button"
      class={`button ${props.kind ?? ''}`}
      disabled={props.isDisabled}
      aria-disabled={isBusy}
      aria-busy={isBusy}
      onClick={() => void act()}
    >
      {isBusy && <span class="spinner" aria-hidden="true" />}
      {props.children}
    </button>
  );
}
