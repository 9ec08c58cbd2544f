import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** A part of a section with a heading. */
export function Card(props: {
  readonly title: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
}): VNode {
  const id = useId();
  return (
    <section class={`card ${props.class ?? ''}`} aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{props.title}</h2>
        {props.actions}
      </header>
      {props.children}
    </section>
  );
}
