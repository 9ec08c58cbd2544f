import type { Sequence } from '../sequence.js';

/** One caller's queue, the most urgent first, then the oldest. */
interface Caller {
  readonly queue: Sequence[];
  /** Rows computed for this caller, in the queue's virtual time. */
  served: number;
}

/**
 * Where sequences wait to be admitted. Higher priorities first; within one, the caller who has been served least comes next,
 * so that nobody waits longer because another asks more. A caller who comes back starts at the least served of those
 * present: time away earns nothing. The scheduler bounds how many wait. Source: start-time fair queueing (Goyal et al. 1996); VTC (arXiv 2401.00588).
 */
export class AdmissionQueue {
  readonly #callers = new Map<string, Caller>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Behind all of its caller's that are no less urgent. */
  push(sequence: Sequence): void {
    this.#insert(sequence, ({ priority }) => priority < sequence.priority);
  }

  /** Back before all of its caller's that are no more urgent: it was preempted. */
  unshift(sequence: Sequence): void {
    this.#insert(sequence, ({ priority }) => priority <= sequence.priority);
  }

  /** Who comes next among those that `isReady`; it stays until `remove`. */
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

  /** Takes a sequence out; false when it is not here. */
  remove(sequence: Sequence): boolean {
    const queue = this.#callers.get(sequence.caller)?.queue;
    const at = queue?.indexOf(sequence) ?? -1;
    if (at === -1) return false;
    queue?.splice(at, 1);
    this.#size--;
    return true;
  }

  /** Says that `rows` were computed for a caller. */
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

  /** Puts a sequence before the first of its caller's that `isAfter`. */
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
