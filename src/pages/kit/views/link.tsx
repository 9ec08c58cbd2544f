import type { ComponentChildren, VNode } from 'preact';
import { useKit } from '../page/kit.js';

/** A link within this page. It opens without a reload, or in another tab if the user asks for that. */
export function Link(props: {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isCurrent?: boolean;
  readonly label?: string;
}): VNode {
  const { router } = useKit();
  const onClick = (event: MouseEvent): void => {
    const isOther = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (isOther || event.defaultPrevented) return;
    event.preventDefault();
    router.go(props.to);
  };
  return (
    <a
      href={props.to}
      class={props.class}
      aria-current={props.isCurrent === true ? 'page' : undefined}
      aria-label={props.label}
      onClick={onClick}
    >
      {props.children}
    </a>
  );
}
