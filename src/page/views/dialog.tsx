import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.js';

/** A window over the page: the browser keeps the focus in it, and Esc closes it. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}): VNode {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    element.current?.showModal();
  }, []);
  const onClick = (event: MouseEvent): void => {
    // What lies beside the window is the dialog itself.
    if (event.target === element.current) element.current?.close();
  };
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={props.onClose} onClick={onClick}>
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id="dialog-title">{props.title}</h2>
          <button type="button" class="tool" aria-label="Close" onClick={() => element.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
