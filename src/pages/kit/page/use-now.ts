import { useEffect, useState } from 'preact/hooks';
import { useKit } from './kit.js';

/** Milliseconds since 1970, updated every `everyMs` while the page is visible. */
export function useNow(everyMs: number): number {
  const { clock } = useKit();
  const [now, setNow] = useState(clock.unixMs);
  useEffect(() => {
    let cancel = (): void => {};
    const tick = (): void => {
      cancel = clock.after(everyMs, () => {
        if (!document.hidden) setNow(clock.unixMs());
        tick();
      });
    };
    tick();
    return () => cancel();
  }, [everyMs]);
  return now;
}
