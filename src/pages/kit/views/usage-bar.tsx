import type { VNode } from 'preact';

/** A bar warns above this share of a limit. */
const NEAR = 0.8;

/** The used part of a limit. */
export function UsageBar(props: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The same in words. */
  readonly text: string;
}): VNode {
  const { label, value, max, text } = props;
  const share = max <= 0 ? 1 : Math.min(1, Math.max(0, value / max));
  const tone = share >= 1 ? 'bad' : share >= NEAR ? 'warn' : 'good';
  return (
    <div class="meter-row">
      <span class="meter-label">{label}</span>
      <span
        class={`meter ${tone}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={text}
      >
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
      <span class="meter-text">{text}</span>
    </div>
  );
}

/** The progress of a finite task. */
export function Progress(props: { readonly label: string; readonly value: number; readonly max: number }): VNode {
  return <progress class="progress" aria-label={props.label} value={props.value} max={Math.max(1, props.max)} />;
}
