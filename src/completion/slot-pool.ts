import { AppError } from '../base/index.js';

/** The slots that a request holds until it is disposed of. */
export interface SequenceSlots extends Disposable {
  /** Aborts with the reason of the request's own signal, or with `overloaded` when another caller gets the slots. */
  readonly signal: AbortSignal;
  /** The engine has begun to answer: from now on the request keeps these slots. */
  begin(): void;
}

/**
 * Takes `count` slots for `caller`; all requests without a caller count as one. `signal` is the request's own. Errors:
 * `overloaded`.
 */
export type Admit = (count: number, caller: string | undefined, signal: AbortSignal | undefined) => SequenceSlots;

/** The slots of one caller. */
interface Holding {
  readonly name: string;
  held: number;
  /** Of these, the slots of requests that wait for their first output. */
  numWaiting: number;
  /** Those requests, oldest first. */
  readonly waiting: Set<HeldSlots>;
}

/**
 * The slots of one model: as many as its engine runs and queues. A request takes its slots before
 * its prompt is rendered. So an excess request is refused at once, not by an engine in the middle of a step.
 * One caller may hold all slots while it is alone. While other callers' requests wait, it gets no slot beyond half of
 * them. When another caller finds no slot, the newest waiting requests of a caller with more than half are refused. A
 * request with output is never refused.
 */
export function createSlotPool(limit: number): Admit {
  const pool = new SlotPool(limit);
  return (count, caller = '', signal) => pool.take(count, caller, signal);
}

class SlotPool {
  readonly #limit: number;
  readonly #half: number;
  readonly #holdings = new Map<string, Holding>();
  #taken = 0;
  #numWaiting = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#half = Math.floor(limit / 2);
  }

  take(count: number, caller: string, signal: AbortSignal | undefined): SequenceSlots {
    const known = this.#holdings.get(caller);
    const { held, numWaiting } = known ?? { held: 0, numWaiting: 0 };
    const isGreedy = held + count > this.#half;
    if (isGreedy && this.#numWaiting > numWaiting) throw this.#greedy(count, held);
    const missing = this.#taken + count - this.#limit;
    if (missing > 0 && (isGreedy || !this.#makeRoom(missing))) throw this.#full(count);
    const holding = known ?? { name: caller, held: 0, numWaiting: 0, waiting: new Set() };
    this.#holdings.set(caller, holding);
    this.#taken += count;
    this.#numWaiting += count;
    holding.held += count;
    holding.numWaiting += count;
    const slots = new HeldSlots(this, holding, count, signal);
    holding.waiting.add(slots);
    return slots;
  }

  /** The request of `slots` no longer waits. */
  settle(slots: HeldSlots): void {
    const { holding, count } = slots;
    if (!holding.waiting.delete(slots)) return;
    holding.numWaiting -= count;
    this.#numWaiting -= count;
  }

  giveBack(slots: HeldSlots): void {
    const { holding, count } = slots;
    this.settle(slots);
    holding.held -= count;
    this.#taken -= count;
    if (holding.held === 0) this.#holdings.delete(holding.name);
  }

  /**
   * Refuses the newest waiting requests of a caller with more than half, if that frees `missing` slots; returns whether
   * it did.
   */
  #makeRoom(missing: number): boolean {
    const greedy = [...this.#holdings.values()].find(({ held }) => held > this.#half);
    if (greedy === undefined) return false;
    const refused: HeldSlots[] = [];
    let room = 0;
    for (const slots of [...greedy.waiting].toReversed()) {
      if (room >= missing || greedy.held - room <= this.#half) break;
      refused.push(slots);
      room += slots.count;
    }
    if (room < missing) return false;
    const message = `other clients came, and this one held ${greedy.held} of the ${this.#limit} slots, of which it may keep ${this.#half} then; its newest waiting requests are refused; try again later`;
    for (const slots of refused) slots.refuse(new AppError('overloaded', message, { limit: this.#half }));
    return true;
  }

  #greedy(count: number, held: number): AppError {
    const message = `this client holds ${held} of the ${this.#limit} slots and asked for ${count} more; while others wait it may hold ${this.#half}; try again later`;
    return new AppError('overloaded', message, { limit: this.#half, taken: held });
  }

  #full(count: number): AppError {
    const message = `${this.#taken} sequences run or wait already and ${count} more were asked for; the limit is ${this.#limit}; try again later`;
    return new AppError('overloaded', message, { limit: this.#limit, taken: this.#taken });
  }
}

/** A class, since thousands may wait at once. */
class HeldSlots implements SequenceSlots {
  readonly holding: Holding;
  readonly count: number;
  readonly #pool: SlotPool;
  readonly #outer: AbortSignal | undefined;
  readonly #controller = new AbortController();
  #isHeld = true;

  constructor(pool: SlotPool, holding: Holding, count: number, outer: AbortSignal | undefined) {
    this.#pool = pool;
    this.holding = holding;
    this.count = count;
    this.#outer = outer;
    if (outer?.aborted === true) this.handleEvent();
    else outer?.addEventListener('abort', this, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  begin(): void {
    this.#pool.settle(this);
  }

  /** Passes on an abort of the request's own signal. */
  handleEvent(): void {
    this.#controller.abort(this.#outer?.reason);
  }

  /** Releases the slots at once and ends the request with `error`. */
  refuse(error: AppError): void {
    this[Symbol.dispose]();
    this.#controller.abort(error);
  }

  [Symbol.dispose](): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#outer?.removeEventListener('abort', this);
    this.#pool.giveBack(this);
  }
}
