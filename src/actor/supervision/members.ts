import type { AppError } from '../../base/index.js';
import { Child } from './child.js';
import { restartOf } from './restart-rules.js';
import { fullError } from './supervisor-errors.js';
import type { EventListener, NextState, Supervised, SupervisionEvent } from './tree.js';

/** Children that a supervisor may have whose spec does not say: far more than threads, few enough to walk at each look. */
const DEFAULT_MAX_CHILDREN = 1_024;

/** The children of one supervisor: who they are, how they are started and stopped, and who hears of it. */
export class Members<C extends Supervised> {
  readonly #emit: EventListener;
  readonly #list: C[] = [];
  /** Those that were started later, each with who hears of it. */
  readonly #dynamic = new Map<C, EventListener>();
  /** Those that are to be started later and wait for it. */
  readonly #coming = new Set<C>();
  /** Those that are to be stopped and taken out, and wait for it. */
  readonly #leaving = new Set<C>();

  readonly #supervisor: string;
  readonly #limit: number;

  /** Of the supervisor that has this id; at most `limit` children. */
  constructor(supervisor: string, emit: EventListener, limit = DEFAULT_MAX_CHILDREN) {
    this.#supervisor = supervisor;
    this.#emit = emit;
    this.#limit = limit;
  }

  /** In the order of their starts. */
  get list(): readonly C[] {
    return this.#list;
  }

  /** A child of the spec. */
  add(child: C): void {
    this.#list.push(child);
  }

  /** A child that comes later: its id and its place are taken, and it is not in the list yet. Errors: `supervisor_full`. */
  announce(child: C): void {
    const isFull = this.#list.length + this.#coming.size >= this.#limit;
    if (isFull) throw fullError(this.#supervisor, this.#limit);
    this.#coming.add(child);
  }

  /** Puts a child that was announced at the end of the list; `emit` hears of it. */
  join(child: C, emit: EventListener): void {
    this.#coming.delete(child);
    this.#list.push(child);
    this.#dynamic.set(child, emit);
  }

  /** From here on a start of the child that fails is no news: it is to go. */
  leave(child: C): void {
    this.#leaving.add(child);
  }

  /** Whether `child` is to be stopped and taken out. */
  isLeaving(child: C): boolean {
    return this.#leaving.has(child);
  }

  /** Whether `child` came later, so that the ids below it are its own. */
  isDynamic(child: C): boolean {
    return this.#dynamic.has(child);
  }

  /** Whether an id is taken by a child, or below one that was there from the start. */
  hasId(id: string): boolean {
    const isTaken = (child: C): boolean => child.id === id || (!this.isDynamic(child) && child.hasId?.(id) === true);
    return this.#list.some(isTaken) || Array.from(this.#coming).some((child) => child.id === id);
  }

  /** Takes a child out, wherever it is. */
  remove(child: C): void {
    for (const set of [this.#coming, this.#leaving, this.#dynamic]) set.delete(child);
    const at = this.#list.indexOf(child);
    if (at >= 0) this.#list.splice(at, 1);
  }

  /** Starts children at the same time and waits for all of them; those that did not start, and why. */
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

  /** Stops children of which only the temporary ones do not come back, in reverse. */
  async takeDown(children: readonly C[]): Promise<void> {
    for (const child of children.toReversed()) {
      await this.stop([child], restartOf(child) === 'temporary' ? 'stopped' : 'restarting');
    }
  }

  /** Tells of something that happened to `child`. */
  tell(child: C, type: SupervisionEvent['type'], more: Pick<SupervisionEvent, 'reason' | 'stack'> = {}): void {
    const emit = this.#dynamic.get(child) ?? this.#emit;
    emit({ type, id: child.id, restarts: child.restarts, ...more });
  }
}
