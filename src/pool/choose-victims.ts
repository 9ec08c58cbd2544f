/** An idle model, as its eviction weighs it. */
export interface Idle {
  readonly bytes: number;
}

/**
 * Chooses which of `idle`, least recently used first, must go to free `bytes`. Takes the shortest run from the front that is
 * enough, then spares members that the others make needless. Undefined when all together are not enough.
 */
export function chooseVictims<T extends Idle>(idle: readonly T[], bytes: number): T[] | undefined {
  let freed = 0;
  const run = idle.filter((one) => {
    if (freed >= bytes) return false;
    freed += one.bytes;
    return true;
  });
  if (freed < bytes) return undefined;
  // The most recently used has the first claim to stay.
  return run.reduceRight<T[]>((victims, one) => {
    if (freed - one.bytes < bytes) return [one, ...victims];
    freed -= one.bytes;
    return victims;
  }, []);
}
