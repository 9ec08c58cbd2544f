/**
 * How long a thread spins on for one that is late, before it sleeps. Who waits at a barrier for longer than the gap
 * between two fused ops waits for a thread that lost its core for a moment. If it slept, the kernel would often wake it on
 * the core of the one who wakes it, because a virtual machine's halted core seems to be taken: both then share one core
 * for tens of milliseconds while the other idles (bench/LOG.md, 2026-11-22). Where there are more threads than cores,
 * spinning keeps others from working: so the budget is earned by time, and no more of it is lost than that.
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
