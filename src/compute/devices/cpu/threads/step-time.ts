/**
 * Fewer threads are better when they would take so much of the time: less than that is a disturbance that will pass, and a
 * step that takes twice as long without need is a gap that people see.
 */
const BETTER = 0.75;

/** How long a step took, and how much of that its coordinator waited for the thread group. */
export interface StepTime {
  readonly elapsedMs: number;
  readonly waitedMs: number;
}

/**
 * The fewest of `sizes` that would have done a step of `threads` as well, undisturbed. The coordinator's own share is
 * its time without waits, and the whole is that for each thread.
 */
export function leastBetter(sizes: readonly number[], threads: number, { elapsedMs, waitedMs }: StepTime): number {
  const wholeMs = (elapsedMs - waitedMs) * threads;
  return sizes.find((size) => size >= threads || wholeMs / size < BETTER * elapsedMs) ?? threads;
}
