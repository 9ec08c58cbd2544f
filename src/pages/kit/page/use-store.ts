import { useEffect, useState } from 'preact/hooks';
import type { Store } from '../../data/index.js';

/** The value of a store; the view is drawn again when it changes. */
export function useStore<T>(store: Pick<Store<T>, 'get' | 'subscribe'>): T {
  const [value, setValue] = useState(store.get);
  useEffect(() => {
    const update = (): void => setValue(store.get());
    update();
    return store.subscribe(update);
  }, [store]);
  return value;
}

/** Whether a media query holds. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = (): void => setHolds(list.matches);
    update();
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [query]);
  return holds;
}
