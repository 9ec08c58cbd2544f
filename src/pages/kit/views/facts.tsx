import type { ComponentChildren, VNode } from 'preact';

/** Names and values of one thing. A value of undefined is left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }): VNode {
  return (
    <dl class="facts-list">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === null ? <span class="muted">–</span> : value}</dd>
          </div>
        ))}
    </dl>
  );
}
