import type { Sequence } from '../sequence.js';

/** One caller's queue, the most urgent first, then the oldest. */
interface Caller {
  readonly queue: Sequence[];
  /** Rows computed for this caller, in the queue's virtual time. */
  served: number;
}

/**
 * Sequences that wait to be admitted. Higher priorities first; within one, the caller with the least service comes
 * next, so no caller waits longer because another asks more. A caller that comes back starts at the least service of
 * those present: absence earns nothing. The scheduler limits its length. Source: start-time fair queueing (Goyal et al.
 * 1996); VTC (arXiv 2401.00588).
 */
export class AdmissionQueue {
  readonly #callers = new Map<string, Caller>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Inserts it behind its caller's sequences that are at least as urgent. */
  push(sequence: Sequence): void {
    this.#insert(sequence, ({ priority }) => priority < sequence.priority);
  }

  /** Puts a preempted sequence back, before its caller's sequences that are not more urgent. */
  unshift(sequence: Sequence): void {
    this.#insert(sequence, ({ priority }) => priority <= sequence.priority);
  }

  /** The next sequence that `isReady`; it stays until `remove`. */
  next(isReady: (sequence: Sequence) => boolean): Sequence | undefined {
    let best: Sequence | undefined;
    let bestServed = Infinity;
    for (const { queue, served } of this.#callers.values()) {
      const first = queue.find(isReady);
      if (first === undefined) continue;
      const ahead = best === undefined ? 1 : first.priority - best.priority;
      if (ahead > 0 || (ahead === 0 && served < bestServed)) {
        best = first;
        bestServed = served;
      }
    }
    return best;
  }

  /** Removes a sequence; false when it is not here. */
  remove(sequence: Sequence): boolean {
    const queue = this.#callers.get(sequence.caller)?.queue;
    const at = queue?.indexOf(sequence) ?? -1;
    if (at === -1) return false;
    queue?.splice(at, 1);
    this.#size--;
    return true;
  }

  /** Adds computed `rows` to a caller's service. */
  serve(caller: string, rows: number): void {
    const known = this.#callers.get(caller);
    if (known !== undefined) known.served += rows;
  }

  /** Forgets callers that neither wait nor, by `isActive`, run. */
  sweep(isActive: (caller: string) => boolean): void {
    for (const [name, { queue }] of this.#callers) {
      if (queue.length === 0 && !isActive(name)) this.#callers.delete(name);
    }
  }

  *[Symbol.iterator](): Generator<Sequence> {
    for (const { queue } of this.#callers.values()) yield* queue;
  }

  /** Puts a sequence before its caller's first that `isAfter`. */
  #insert(sequence: Sequence, isAfter: (other: Sequence) => boolean): void {
    const { queue } = this.#callerOf(sequence);
    const at = queue.findIndex(isAfter);
    queue.splice(at === -1 ? queue.length : at, 0, sequence);
    this.#size++;
  }

  #callerOf({ caller }: Sequence): Caller {
    const known = this.#callers.get(caller);
    if (known !== undefined) return known;
    const least = Math.min(...Array.from(this.#callers.values(), ({ served }) => served));
    const fresh: Caller = { queue: [], served: Number.isFinite(least) ? least : 0 };
    this.#callers.set(caller, fresh);
    return fresh;
  }
}
