import type { ComponentChildren, VNode } from 'preact';

/** Values from this length on are written smaller, so a large amount stays on one line. */
const LONG = 9;

/** A key figure with its parts and its recent values. */
export function Stat(props: {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly tone?: 'warn' | 'bad';
  /** The last values, the newest last; null: no value. */
  readonly values?: readonly (number | null)[];
}): VNode {
  const isLong = typeof props.value === 'string' && props.value.length > LONG;
  return (
    <div class={`stat ${props.tone ?? ''}`}>
      <dt>{props.label}</dt>
      <dd class={isLong ? 'stat-value long' : 'stat-value'}>{props.value}</dd>
      {props.hint !== undefined && <dd class="stat-hint">{props.hint}</dd>}
      {props.values !== undefined && (
        <dd class="stat-line" aria-hidden="true">
          <Sparkline values={props.values} />
        </dd>
      )}
    </div>
  );
}

const HEIGHT = 24;

/** Bars without axes. A value that is not zero is visible even if it is small beside the others. */
function Sparkline({ values }: { readonly values: readonly (number | null)[] }): VNode {
  const top = Math.max(...values.map((value) => value ?? 0), Number.MIN_VALUE);
  const bars = values.map((value, i) => {
    if (value === null || value <= 0) return '';
    const height = Math.max(2, (value / top) * (HEIGHT - 1));
    return `M${i + 0.1} ${HEIGHT}v${(-height).toFixed(2)}h0.8V${HEIGHT}z`;
  });
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${Math.max(1, values.length)} ${HEIGHT}`}
      preserveAspectRatio="none"
      focusable="false"
    >
      <line x1={0} y1={HEIGHT} x2={values.length} y2={HEIGHT} />
      <path d={bars.join('')} />
    </svg>
  );
}
