import type { VNode } from 'preact';

/** A name, a number, and a bar whose length is relative to the largest number. */
export function Bar(props: {
  readonly name: VNode | string;
  readonly hint?: string;
  readonly share: number;
  readonly value: string;
  /** One of the chart colours. Absent: the first. */
  readonly color?: 1 | 2 | 3 | 4 | 5;
}): VNode {
  const { name, hint, share, value, color = 1 } = props;
  return (
    <li class="bar">
      <span class="bar-name">{name}</span>
      <span class="bar-hint">{hint}</span>
      <span class="bar-value">{value}</span>
      <span class="bar-line" aria-hidden="true">
        <span style={{ inlineSize: `${Math.max(0.5, share * 100)}%`, background: `var(--chart-${color})` }} />
      </span>
    </li>
  );
}
