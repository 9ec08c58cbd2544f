import type { VNode } from 'preact';
import { useKit } from '../page/kit.js';

/** A time in the reader's language, with the exact time as its tooltip. */
export function Time(props: {
  readonly at: string | null;
  /** If set, the view shows the time relative to this. */
  readonly now?: number;
  /** Without the year, for lists. */
  readonly isShort?: boolean;
  readonly never?: string;
}): VNode {
  const { formats } = useKit();
  const { at, now, isShort = false, never = '–' } = props;
  if (at === null) return <span class="muted">{never}</span>;
  const exact = formats.dateTime(at);
  return (
    <time dateTime={at} title={exact}>
      {now !== undefined ? formats.relative(at, now) : isShort ? formats.moment(at) : exact}
    </time>
  );
}
