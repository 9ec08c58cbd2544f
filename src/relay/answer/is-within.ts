import { systemClock } from '../../base/index.js';

/** Whether a promise settles in time, resolved or rejected. */
export async function isWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let cancel = (): void => {};
  const late = new Promise<boolean>((resolve) => (cancel = systemClock.after(ms, () => resolve(false))));
  const settled = promise.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([settled, late]);
  cancel();
  return isSettled;
}
