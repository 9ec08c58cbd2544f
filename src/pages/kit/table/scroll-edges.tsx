import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../views/icon.js';

/** The share of the visible width by which a click scrolls. */
const PAGE = 0.7;

/** The sides at which a table has hidden columns. */
export interface Edges {
  readonly start: boolean;
  readonly end: boolean;
}

/**
 * Finds the sides at which `scroller` has hidden content, after each drawing and on each call of the returned function.
 */
export function useEdges(scroller: RefObject<HTMLElement | null>): readonly [Edges, () => void] {
  const [edges, setEdges] = useState<Edges>({ start: false, end: false });
  const look = (): void => {
    const { current } = scroller;
    if (current === null) return;
    const left = Math.abs(current.scrollLeft);
    // Differences below a pixel do not count.
    const next = { start: left > 1, end: left + current.clientWidth < current.scrollWidth - 1 };
    setEdges((before) => (before.start === next.start && before.end === next.end ? before : next));
  };
  useLayoutEffect(look);
  return [edges, look];
}

/** A note below a table with hidden columns, with buttons that scroll to them. */
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
