import type { ComponentChildren, VNode } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { pressPrimaryOnEnter } from '../forms/enter.js';
import { Icon } from './icon.js';

/** The properties of a window. */
export interface DialogProps {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** `side`: at the edge of the page in full height; `wide`: for tables and texts. */
  readonly shape?: 'side' | 'wide';
  /** The buttons at the bottom. */
  readonly footer?: ComponentChildren;
  /** True: only a footer button closes it. Esc or a click beside it would lose something. */
  readonly isHeld?: boolean;
}

/** A window over the page: the browser keeps the focus in it, and Esc closes it. */
export function Dialog({ title, onClose, children, shape, footer, isHeld = false }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const pressed = useRef<EventTarget | null>(null);
  const isGone = useRef(false);
  useLayoutEffect(() => {
    const { current } = element;
    isGone.current = false;
    current?.showModal();
    return () => {
      // Closing makes the browser return the focus to its previous place.
      isGone.current = true;
      current?.close();
    };
  }, []);
  const onClick = (event: MouseEvent): void => {
    // A click beside the window has the dialog as its target. So may the end of a text selection that starts inside.
    const isBeside = event.target === element.current && pressed.current === element.current;
    if (isBeside && !isHeld) element.current?.close();
  };
  return (
    <dialog
      ref={element}
      class={shape}
      aria-labelledby={titleId}
      onClose={() => !isGone.current && onClose()}
      onCancel={(event) => {
        if (isHeld && event.target === element.current) event.preventDefault();
      }}
      // Chromium closes a dialog on the second Esc even if a handler cancels the first.
      onKeyDown={(event) => {
        if (isHeld && event.key === 'Escape') event.preventDefault();
        pressPrimaryOnEnter(event);
      }}
      onMouseDown={(event) => (pressed.current = event.target)}
      onClick={onClick}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          {!isHeld && (
            <button type="button" class="tool" aria-label="Close" onClick={() => element.current?.close()}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
        {footer !== undefined && <footer class="dialog-foot">{footer}</footer>}
      </div>
    </dialog>
  );
}
