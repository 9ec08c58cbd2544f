/**
 * Finds the request that kills engines. The requests of a step that died are suspects. At the second death of the same
 * ones they are tried separately, in halves, until one dies alone. A plain object: it takes deaths and tokens, and
 * decides which requests may run now. Source of the halving: adaptive group testing (Hwang 1972, binary splitting).
 */

import type { WorkedSequence } from './work-record.js';

/**
 * Tokens after which a sequence counts as innocent of an earlier death. It also bounds a trial beyond the position of a
 * death, for a request that kills every few tokens: trials go twice as far as it got.
 */
const FAR_TOKENS = 64;
/** Limit of consecutive guilty requests without a computed token between: beyond it the engine itself is broken. */
const MOST_IN_A_ROW = 8;

/** A request under way, as the search needs it. */
export interface Suspect {
  /** Tokens that it had when the present engine got it, prompt and completion. */
  readonly givenTokens: number;
  /** Whether its computation is over. */
  readonly isOver: boolean;
  /** Its deaths, and its tokens at the last one. Written by the search only. */
  deaths: number;
  deathTokens: number;
  /** Tokens that end its trial. Written by the search only. */
  trialTokens: number;
}

/** The result of a death. */
export interface PoisonVerdict<S extends Suspect> {
  /** The guilty request, with its number of deaths: it must not run again. */
  readonly guilty: { readonly request: S; readonly deaths: number } | undefined;
  /** Whether a request explains the death, and not the engine. */
  readonly isExplained: boolean;
}

const UNEXPLAINED = { guilty: undefined, isExplained: false } as const;

/** The search among the requests of one engine. */
export class PoisonSearch<S extends Suspect> {
  /** Groups to try, in this order; the first is under trial. */
  #groups: S[][] = [];
  #inARow = 0;

  /** Whether a search is on, so that all other requests wait. */
  get isOn(): boolean {
    return this.#groups.length > 0;
  }

  /** Whether `one` may run now. */
  allows(one: S): boolean {
    return !this.isOn || this.isTried(one);
  }

  /** Whether `one` is under trial now: until it has its `trialTokens`. */
  isTried(one: S): boolean {
    return this.#groups[0]?.includes(one) === true;
  }

  /** An engine died in the middle of work on `underWay`; `find` returns the ones that still have a caller. */
  died(underWay: readonly WorkedSequence[], find: (id: number) => S | undefined): PoisonVerdict<S> {
    const seen: S[] = [];
    for (const { id, numTokens } of underWay) {
      const one = find(id);
      if (one === undefined || one.isOver) continue;
      note(one, numTokens);
      seen.push(one);
    }
    const again = seen.filter(({ deaths }) => deaths > 1);
    if (again.length === 0) return UNEXPLAINED;
    const [alone] = again;
    if (underWay.length === 1 && alone !== undefined) return this.#convict(alone);
    const wasOn = this.isOn;
    const rest = (this.#groups.shift() ?? []).filter((one) => !again.includes(one));
    this.#groups.unshift(...halves(again), rest);
    this.#sweep();
    return { guilty: undefined, isExplained: wasOn };
  }

  /** `one` has passed, ended, or lost its caller. Returns whether others may run now that waited before. */
  drop(one: S): boolean {
    const first = this.#groups[0];
    for (const group of this.#groups) {
      const at = group.indexOf(one);
      if (at === -1) continue;
      group.splice(at, 1);
      one.deaths = 0;
    }
    this.#sweep();
    return this.#groups[0] !== first;
  }

  /** A sequence has got a token: the engine works. */
  progress(): void {
    this.#inARow = 0;
  }

  #convict(request: S): PoisonVerdict<S> {
    const { deaths } = request;
    this.drop(request);
    this.#inARow++;
    return { guilty: { request, deaths }, isExplained: this.#inARow <= MOST_IN_A_ROW };
  }

  #sweep(): void {
    this.#groups = this.#groups.filter((group) => group.length > 0);
  }
}

function note(one: Suspect, numTokens: number): void {
  if (numTokens > one.deathTokens + FAR_TOKENS) one.deaths = 0;
  one.deaths++;
  one.deathTokens = numTokens;
  const came = numTokens - one.givenTokens;
  one.trialTokens = numTokens + Math.min(FAR_TOKENS, Math.max(1, 2 * came + 1));
}

function halves<T>(all: readonly T[]): T[][] {
  const half = Math.ceil(all.length / 2);
  return [all.slice(0, half), all.slice(half)];
}
