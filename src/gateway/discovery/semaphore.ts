/** Runs tasks in order of arrival, at most `slots` at once. Callers bound the number of waiting tasks. */
export type Semaphore = <T>(task: () => Promise<T>) => Promise<T>;

/** A semaphore with that many slots. */
export function createSemaphore(slots: number): Semaphore {
  let free = slots;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
