import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../views/icon.js';

/** Part of what is seen that a click scrolls by. */
const PAGE = 0.7;

/** At which sides a table goes on. */
export interface Edges {
  readonly start: boolean;
  readonly end: boolean;
}

/** Looks at which sides `scroller` goes on: after each drawing, and when `look` is called. */
export function useEdges(scroller: RefObject<HTMLElement | null>): readonly [Edges, () => void] {
  const [edges, setEdges] = useState<Edges>({ start: false, end: false });
  const look = (): void => {
    const { current } = scroller;
    if (current === null) return;
    const left = Math.abs(current.scrollLeft);
    // A part of a pixel is no scrolling.
    const next = { start: left > 1, end: left + current.clientWidth < current.scrollWidth - 1 };
    setEdges((before) => (before.start === next.start && before.end === next.end ? before : next));
  };
  useLayoutEffect(look);
  return [edges, look];
}

/** Says below a table that it goes on sideways, and goes there. */
export function ScrollEdges(props: {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly edges: Edges;
}): VNode | null {
  const { scroller, edges } = props;
  if (!edges.start && !edges.end) return null;
  const go = (sign: 1 | -1): void => {
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
    scroller.current?.scrollBy({ left: sign * PAGE * scroller.current.clientWidth, behavior });
  };
  return (
    <div class="table-more">
      <button type="button" class="button quiet small" disabled={!edges.start} onClick={() => go(-1)}>
        <Icon name="previous" /> Columns before
      </button>
      <button type="button" class="button quiet small" disabled={!edges.end} onClick={() => go(1)}>
        More columns <Icon name="next" />
      </button>
    </div>
  );
}
