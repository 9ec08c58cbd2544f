/**
 * How long a thread spins for a late one before it sleeps. A wait at a barrier beyond the gap between two fused ops
 * means that another thread lost its core for a moment. If the waiting thread slept, the kernel would often wake it on
 * the waker's core, because a virtual machine's halted core seems to be taken. Both then share one core for tens of
 * milliseconds while the other idles (bench/log/prefill-decode.md, 'Threads').
 * With more threads than cores, spinning keeps others
 * from working. So the budget is earned by time, and no more than that is lost.
 */
const MOST_MS = 8;
/** Part of the time that goes by. */
const EARNED = 0.05;

/** The spin budget of one thread. Times are milliseconds of one clock. */
export class SpinBudget {
  #leftMs = MOST_MS;
  #atMs: number;

  constructor(nowMs: number) {
    this.#atMs = nowMs;
  }

  /** How long the thread may spin at `nowMs`. */
  leftAt(nowMs: number): number {
    return Math.min(MOST_MS, this.#leftMs + (nowMs - this.#atMs) * EARNED);
  }

  /** The thread has spun from `startMs` to `endMs`. */
  spend(startMs: number, endMs: number): void {
    this.#leftMs = Math.max(0, this.leftAt(startMs) - (endMs - startMs));
    this.#atMs = endMs;
  }
}
