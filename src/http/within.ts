import type { Clock } from '../base/index.js';

/** Whether `promise` resolves within `timeMs`. It must not reject. */
export async function within(timeMs: number, promise: Promise<unknown>, clock: Clock): Promise<boolean> {
  let stop = (): void => {};
  const late = new Promise<boolean>((resolve) => {
    stop = clock.after(timeMs, () => resolve(false));
  });
  const inTime = await Promise.race([promise.then(() => true), late]);
  stop();
  return inTime;
}
