import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { toAddress } from '../../data/index.js';
import { useKit } from '../page/kit.js';
import { useStore } from '../page/use-store.js';
import { Link } from '../views/link.js';

/** The tabs of a section. The address contains the open tab; the first needs no query. */
export function Tabs<T extends string>(props: {
  readonly label: string;
  readonly tabs: readonly (readonly [T, string])[];
  readonly chosen: T;
}): VNode {
  const { router } = useKit();
  const { path } = useStore(router);
  const [first] = props.tabs;
  const place = useRef<HTMLElement>(null);
  // Scrolls the open tab into view if the tabs do not fit.
  useEffect(() => {
    place.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [props.chosen]);
  return (
    <nav ref={place} class="tabs" aria-label={props.label}>
      {props.tabs.map(([id, title]) => (
        <Link
          key={id}
          to={toAddress({ path, query: { tab: id === first?.[0] ? '' : id } })}
          isCurrent={id === props.chosen}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}

/** The tab in the address, or the first tab. */
export function useTab<T extends string>(tabs: readonly (readonly [T, string])[]): T | undefined {
  const { router } = useKit();
  const { query } = useStore(router);
  return (tabs.find(([id]) => id === query['tab']) ?? tabs[0])?.[0];
}
