import type { ComponentChildren, VNode } from 'preact';

/** A list of names and values. Undefined values are left out. */
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
