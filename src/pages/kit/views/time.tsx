import type { VNode } from 'preact';
import { useKit } from '../page/kit.js';

/** A time as the reader's language writes it; its tooltip has the exact time. */
export function Time(props: {
  readonly at: string | null;
  /** How long ago it was, seen from here. */
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
