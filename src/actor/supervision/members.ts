import type { AppError } from '../../base/index.js';
import { Child } from './child.js';
import { restartOf } from './restart-rules.js';
import { fullError } from './supervisor-errors.js';
import type { EventListener, NextState, Supervised, SupervisionEvent } from './tree.js';

/** Limit of children when the spec has none: far more than threads, few enough to walk at each look. */
const DEFAULT_MAX_CHILDREN = 1_024;

/** The children of one supervisor: their ids, their starts and stops, and the listeners of their events. */
export class Members<C extends Supervised> {
  readonly #emit: EventListener;
  readonly #list: C[] = [];
  /** Children that were started later, each with its listener. */
  readonly #dynamic = new Map<C, EventListener>();
  /** Children whose start is queued. */
  readonly #coming = new Set<C>();
  /** Children whose stop and removal are queued. */
  readonly #leaving = new Set<C>();

  readonly #supervisor: string;
  readonly #limit: number;

  /** For the supervisor with the id `supervisor`; at most `limit` children. */
  constructor(supervisor: string, emit: EventListener, limit = DEFAULT_MAX_CHILDREN) {
    this.#supervisor = supervisor;
    this.#emit = emit;
    this.#limit = limit;
  }

  /** In the order of their starts. */
  get list(): readonly C[] {
    return this.#list;
  }

  /** Adds a child of the spec. */
  add(child: C): void {
    this.#list.push(child);
  }

  /** Reserves the id and the slot of a later child, which is not in the list yet. Errors: `supervisor_full`. */
  announce(child: C): void {
    const isFull = this.#list.length + this.#coming.size >= this.#limit;
    if (isFull) throw fullError(this.#supervisor, this.#limit);
    this.#coming.add(child);
  }

  /** Puts an announced child at the end of the list; `emit` gets its events. */
  join(child: C, emit: EventListener): void {
    this.#coming.delete(child);
    this.#list.push(child);
    this.#dynamic.set(child, emit);
  }

  /** From here on a failed start of the child is not reported: it is about to be removed. */
  leave(child: C): void {
    this.#leaving.add(child);
  }

  /** Whether `child` is about to be stopped and removed. */
  isLeaving(child: C): boolean {
    return this.#leaving.has(child);
  }

  /** Whether `child` was started later, so that the ids below it are its own. */
  isDynamic(child: C): boolean {
    return this.#dynamic.has(child);
  }

  /** Whether a child has the id, or a node below a child of the spec. */
  hasId(id: string): boolean {
    const isTaken = (child: C): boolean => child.id === id || (!this.isDynamic(child) && child.hasId?.(id) === true);
    return this.#list.some(isTaken) || Array.from(this.#coming).some((child) => child.id === id);
  }

  /** Removes a child from every list. */
  remove(child: C): void {
    for (const set of [this.#coming, this.#leaving, this.#dynamic]) set.delete(child);
    const at = this.#list.indexOf(child);
    if (at >= 0) this.#list.splice(at, 1);
  }

  /** Starts children at the same time and waits for all of them; returns the failed ones with their errors. */
  async start(children: readonly C[]): Promise<{ child: C; error: AppError }[]> {
    const failures = await Promise.all(
      children.map(async (child) => {
        try {
          await child.start();
        } catch (thrown) {
          return { child, error: thrown as AppError };
        }
        this.tell(child, child.restarts === 0 ? 'started' : 'restarted');
        return undefined;
      }),
    );
    return failures.filter((failure) => failure !== undefined);
  }

  /** Stops children in reverse. */
  async stop(children: readonly C[], next: NextState): Promise<void> {
    for (const child of children.toReversed()) {
      const ran = child.running;
      await child.stop(next);
      if (ran && child instanceof Child) this.tell(child, 'stopped');
    }
  }

  /** Stops children in reverse before a restart; the temporary ones do not come back. */
  async takeDown(children: readonly C[]): Promise<void> {
    for (const child of children.toReversed()) {
      await this.stop([child], restartOf(child) === 'temporary' ? 'stopped' : 'restarting');
    }
  }

  /** Emits an event of `child`. */
  tell(child: C, type: SupervisionEvent['type'], more: Pick<SupervisionEvent, 'reason' | 'stack'> = {}): void {
    const emit = this.#dynamic.get(child) ?? this.#emit;
    emit({ type, id: child.id, restarts: child.restarts, ...more });
  }
}
