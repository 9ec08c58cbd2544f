/** Runs tasks, at most `places` of them at once, in the order in which they came. Callers bound how many wait. */
export type Semaphore = <T>(task: () => Promise<T>) => Promise<T>;

/** A gate with so many places. */
export function createGate(places: number): Semaphore {
  let free = places;
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
