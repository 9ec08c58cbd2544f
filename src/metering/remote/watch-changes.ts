import type { Meter } from '../meter.js';
import type { MeterChange } from './meter-link.js';

/** Tells `listener` all keys of `meter`, soon and after each change, and the keys that end. The returned function ends that. */
export function watchChanges(meter: Meter, listener: (change: MeterChange) => void): () => void {
  let isTold = false;
  /** Once for all that changes in one turn. */
  const tellKeys = (): void => {
    if (isTold) return;
    isTold = true;
    queueMicrotask(() => {
      isTold = false;
      listener({ type: 'keys', keys: meter.keys() });
    });
  };
  const stops = [
    meter.onKeyEnded((keyId, hash) => listener({ type: 'ended', keyId, ...(hash !== undefined && { hash }) })),
    meter.onKeysChanged(tellKeys),
  ];
  tellKeys();
  return () => stops.forEach((stop) => stop());
}
