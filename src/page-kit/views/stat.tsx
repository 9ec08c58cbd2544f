import type { ComponentChildren, VNode } from 'preact';

/** One number that is looked at first, with what it is made of, and how it went. */
export function Stat(props: {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly tone?: 'warn' | 'bad';
  /** The last values, the newest last; null where there was none. */
  readonly values?: readonly (number | null)[];
}): VNode {
  return (
    <div class={`stat ${props.tone ?? ''}`}>
      <dt>{props.label}</dt>
      <dd class="stat-value">{props.value}</dd>
      {props.hint !== undefined && <dd class="stat-hint">{props.hint}</dd>}
      {props.values !== undefined && (
        <dd class="stat-line" aria-hidden="true">
          <Sparkline values={props.values} />
        </dd>
      )}
    </div>
  );
}

const [WIDTH, HEIGHT] = [100, 24];

/** A line without axes: the shape of what happened. */
function Sparkline({ values }: { readonly values: readonly (number | null)[] }): VNode {
  const top = Math.max(...values.map((value) => value ?? 0), Number.MIN_VALUE);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, i) => {
    const x = (i * step).toFixed(2);
    return `${x},${(HEIGHT - ((value ?? 0) / top) * (HEIGHT - 2) - 1).toFixed(2)}`;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" focusable="false">
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
}
