import { systemClock, type Clock } from '../../base/index.js';
import { CircuitBreaker, DEFAULT_BREAKER, type BreakerOptions, type BreakerState } from './circuit-breaker.js';
import { DEFAULT_OUTLIERS, OutlierEjection, type OutlierOptions } from './outlier-ejection.js';
import { hash } from './prefix-key.js';

/** One of the servers of a model. */
export interface Target {
  readonly id: string;
  /** Lower orders are asked first; the next only when no target of an order can be. */
  readonly order: number;
  /** Its share of the load within its order; above 0. */
  readonly weight: number;
}

/**
 * How a request to a target ended. `erred`: with an error that may be the request's doing. `unknown`: nothing is known of
 * the target, since its client left or we gave up.
 */
export type TargetResult = 'succeeded' | 'failed' | 'erred' | 'unknown';

/** A target that was chosen, until its request is over. */
export interface Chosen<T extends Target> {
  readonly target: T;
  /** The head of a successful answer arrived: a breaker need not wait for the end of a stream. */
  answered(): void;
  /** The first call counts. */
  end(result: TargetResult): void;
}

/** How a group judges its targets. */
export interface TargetGroupOptions {
  readonly breaker?: BreakerOptions;
  readonly outliers?: OutlierOptions;
  readonly clock?: Clock;
}

/** The state of a target, for pages. */
export interface TargetState {
  readonly id: string;
  readonly running: number;
  readonly breaker: BreakerState;
  readonly isEjected: boolean;
  readonly isHealthy: boolean;
}

/** How much more than its even share a target may have for a conversation to stay with it. Source: Mirrokni and others, 2016. */
const AFFINITY_LOAD = 1.25;

interface Member<T> {
  readonly target: T;
  readonly breaker: CircuitBreaker;
  running: number;
  isHealthy: boolean;
}

/** The targets of one model: chooses the next one, and takes the results. Synchronous, without timers. */
export class TargetGroup<T extends Target> {
  readonly #members: readonly Member<T>[];
  readonly #outliers: OutlierEjection;
  /** The choice rotates among equal targets. */
  #turn = 0;

  constructor(targets: readonly T[], options: TargetGroupOptions = {}) {
    const { clock = systemClock, breaker = DEFAULT_BREAKER, outliers = DEFAULT_OUTLIERS } = options;
    this.#members = targets.map((target) => {
      return { target, breaker: new CircuitBreaker(clock, breaker), running: 0, isHealthy: true };
    });
    this.#outliers = new OutlierEjection(
      clock,
      targets.map(({ id }) => id),
      outliers,
    );
  }

  /**
   * Chooses the target of lowest order that is in service and not in `tried`. It prefers the one that had the
   * conversation of `affinity` before, if its load allows, then the least loaded by weight. Undefined: none.
   */
  choose(affinity?: number, tried: ReadonlySet<string> = new Set()): Chosen<T> | undefined {
    const ready = this.#members.filter((member) => this.#isReady(member) && !tried.has(member.target.id));
    if (ready.length === 0) return undefined;
    const order = Math.min(...ready.map(({ target }) => target.order));
    const level = ready.filter(({ target }) => target.order === order);
    const member = (affinity === undefined ? undefined : ownerOf(level, affinity)) ?? this.#leastLoaded(level);
    return member && this.#begin(member);
  }

  /** Takes the result of a health probe. An unhealthy target is not chosen. */
  setHealth(id: string, isHealthy: boolean): void {
    for (const member of this.#members) if (member.target.id === id) member.isHealthy = isHealthy;
  }

  states(): readonly TargetState[] {
    return this.#members.map(({ target: { id }, running, breaker, isHealthy }) => {
      return { id, running, breaker: breaker.state, isEjected: this.#outliers.isEjected(id), isHealthy };
    });
  }

  #isReady({ target, breaker, isHealthy }: Member<T>): boolean {
    return isHealthy && breaker.isReady && !this.#outliers.isEjected(target.id);
  }

  #leastLoaded(level: readonly Member<T>[]): Member<T> | undefined {
    this.#turn = (this.#turn + 1) % Math.max(1, level.length);
    const turned = [...level.slice(this.#turn), ...level.slice(0, this.#turn)];
    // The load that a target would have with this request, so a target of twice the weight takes the first two.
    const loadOf = ({ running, target }: Member<T>): number => (running + 1) / target.weight;
    return turned.toSorted((a, b) => loadOf(a) - loadOf(b))[0];
  }

  #begin(member: Member<T>): Chosen<T> {
    const { target, breaker } = member;
    breaker.begin();
    member.running++;
    let isOver = false;
    return {
      target,
      answered: () => {
        if (!isOver) breaker.succeed();
      },
      end: (result) => {
        if (isOver) return;
        isOver = true;
        member.running--;
        if (result === 'unknown') return breaker.forget();
        if (result === 'failed') breaker.fail();
        else if (result === 'succeeded') breaker.succeed();
        else breaker.forget();
        this.#outliers.onResult(target.id, result !== 'succeeded');
      },
    };
  }
}

/** The target whose hash with the conversation is highest, by weight; undefined where it is loaded too much already. */
function ownerOf<T extends Target>(level: readonly Member<T>[], affinity: number): Member<T> | undefined {
  const key = Uint8Array.of(affinity >>> 24, affinity >>> 16, affinity >>> 8, affinity);
  // Weighted rendezvous hashing: only conversations of a target that comes or goes move.
  const scoreOf = ({ target }: Member<T>): number =>
    -target.weight / Math.log((mix(hash(key, target.id)) + 0.5) / 2 ** 32);
  const owner = level.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0];
  if (owner === undefined) return undefined;
  const running = level.reduce((sum, member) => sum + member.running, 0) + 1;
  const weight = level.reduce((sum, { target }) => sum + target.weight, 0);
  const share = (running * owner.target.weight) / weight;
  return owner.running + 1 <= Math.ceil(AFFINITY_LOAD * share) ? owner : undefined;
}

/** Spreads a hash over all bits. Source: MurmurHash3's finaliser, Austin Appleby. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
