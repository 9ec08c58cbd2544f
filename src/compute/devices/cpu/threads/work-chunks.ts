/**
 * The work of a fused op in chunks, each taken by the next free thread: with equal shares a step takes as long as its
 * slowest core. Chunks are large at first, when little is known about slow threads. They are small at the end, where
 * they decide how late the last thread is (guided self-scheduling, Polychronopoulos & Kuck 1987). The bits are the same
 * for any distribution.
 */

/** Smallest chunk, except the last: a thread's reads ahead are then a small part of it. */
const LEAST_UNITS = 8;

/** The pieces of one fused op after another, for one thread; all threads of the thread group open the same word. */
export class WorkChunks {
  /** How many units of this fused op are taken. */
  readonly #taken: Int32Array;
  #end = 0;

  /** `taken`: a word of memory that all threads share, and that nothing else on its cache line is waited for. */
  constructor(taken: Int32Array) {
    this.#taken = taken;
  }

  /** End of the chunk that was taken last. */
  get end(): number {
    return this.#end;
  }

  /** Takes the next piece of `units`, shared by `threads`: where it begins, or from `units` on, that none is left. */
  take(units: number, threads: number): number {
    let start = Atomics.load(this.#taken, 0);
    while (start < units) {
      const fair = Math.ceil((units - start) / (2 * threads));
      const end = Math.min(units, start + Math.ceil(fair / LEAST_UNITS) * LEAST_UNITS);
      const seen = Atomics.compareExchange(this.#taken, 0, start, end);
      if (seen === start) {
        this.#end = end;
        break;
      }
      start = seen;
    }
    return start;
  }

  /** Nothing is taken of the next fused op. Only while all others are at the barrier. */
  reset(): void {
    Atomics.store(this.#taken, 0, 0);
  }
}
