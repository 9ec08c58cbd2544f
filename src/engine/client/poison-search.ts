/**
 * Which request is it that engines die of? Those that took part in the step that died are suspects; at the second death
 * of the same ones they are tried apart, in halves, until one dies alone. A plain object: told of deaths and of tokens, it
 * says who may be computed now. Source of the halving: adaptive group testing (Hwang 1972, binary splitting).
 */

import type { WorkedSequence } from './work-record.js';

/**
 * Tokens after which a sequence that saw a death is as good as new; and the longest that a trial goes on behind the
 * place of a death, which matters for one that kills every few tokens: trials go twice as far as it came.
 */
const FAR_TOKENS = 64;
/** Requests found guilty one after the other, with no token computed between: then the engine is what is broken. */
const MOST_IN_A_ROW = 8;

/** A request under way, as the search sees it. */
export interface Suspect {
  /** Tokens that it had when the present engine was given it, prompt and completion. */
  readonly givenTokens: number;
  /** Whether nothing of it is to be computed any more. */
  readonly isOver: boolean;
  /** Deaths that it took part in, and the tokens that it had at the last one. The search's own. */
  deaths: number;
  deathTokens: number;
  /** Tokens that it must have for its trial to be passed. The search's own. */
  trialTokens: number;
}

/** What a death came to. */
export interface Verdict<S extends Suspect> {
  /** Found guilty, by so many deaths: it must not be computed again. */
  readonly guilty: { readonly request: S; readonly deaths: number } | undefined;
  /** Whether the death says something of a request, and nothing of the engine. */
  readonly isExplained: boolean;
}

const UNEXPLAINED = { guilty: undefined, isExplained: false } as const;

/** The search among the requests of one engine. */
export class PoisonSearch<S extends Suspect> {
  /** Who is to be tried together, in this order; the first group is under trial. */
  #groups: S[][] = [];
  #inARow = 0;

  /** Whether suspects are tried, so that all others wait. */
  get isOn(): boolean {
    return this.#groups.length > 0;
  }

  /** Whether `one` may be computed now. */
  allows(one: S): boolean {
    return !this.isOn || this.isTried(one);
  }

  /** Whether `one` is under trial now: until it has its `trialTokens`. */
  isTried(one: S): boolean {
    return this.#groups[0]?.includes(one) === true;
  }

  /** An engine died in the middle of work on `underWay`; `find` gives those that somebody still waits for. */
  died(underWay: readonly WorkedSequence[], find: (id: number) => S | undefined): Verdict<S> {
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

  /** `one` is passed, over, or its caller has left: whether others may be computed now that could not be before. */
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

  /** Some sequence had a token: the engine works. */
  progress(): void {
    this.#inARow = 0;
  }

  #convict(request: S): Verdict<S> {
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
