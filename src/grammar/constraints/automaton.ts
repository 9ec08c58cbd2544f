import { checkedLater, flag, invalidValue, present } from '../../base/index.js';
import { checkTokenId } from '../check-token-id.js';
import type { Constraint, ConstraintKind } from '../constraint.js';
import { allowToken, createTokenMask, type TokenMask } from '../token-mask.js';

/** More states than any grammar over token ids that is written out has: the text of a long context, a state a token. */
const MAX_STATES = 1 << 20;

/** A finite automaton over token ids, written out. It begins in state 0; a state without transitions is its end. */
export interface AutomatonSpec {
  /** Which constraint it is. */
  readonly kind: 'automaton';
  /** Of each state: the tokens that may come, each with the state it leads to. */
  readonly states: readonly (readonly (readonly [tokenId: number, state: number])[])[];
  /** Tokens without an alternative need not be sampled. Default false. */
  readonly skipsForced?: boolean;
}

/** Sequences of tokens that a finite automaton accepts. */
export const automaton: ConstraintKind<AutomatonSpec> = {
  fields: { kind: checkedLater, states: checkedLater, skipsForced: flag },
  check({ states }, { vocabSize }) {
    if (!Array.isArray(states) || states.length === 0 || states.length > MAX_STATES) {
      throw invalidValue('constraint.states', states, `a list of 1 to ${MAX_STATES} states`);
    }
    states.forEach((transitions, from) => {
      if (!Array.isArray(transitions)) throw invalidValue(`constraint.states[${from}]`, transitions, 'a list');
      transitions.forEach((transition, index) => {
        const field = `constraint.states[${from}][${index}]`;
        if (!Array.isArray(transition)) throw invalidValue(field, transition, 'a pair of a token id and a state');
        const [tokenId, to] = transition;
        checkTokenId(`${field}[0]`, tokenId, vocabSize);
        if (!Number.isInteger(to) || to < 0 || to >= states.length) {
          throw invalidValue(`${field}[1]`, to, `a state from 0 to ${states.length - 1}`);
        }
      });
    });
  },
  create: (spec, { vocabSize }) => new Automaton(spec, vocabSize),
};

class Automaton implements Constraint {
  readonly #spec: AutomatonSpec;
  /** Holds the bits of the present state. */
  readonly #mask: TokenMask;
  #state = 0;

  constructor(spec: AutomatonSpec, vocabSize: number) {
    this.#spec = spec;
    this.#mask = createTokenMask(vocabSize);
    this.#enter(0);
  }

  get allowed(): TokenMask {
    return this.#mask;
  }

  get forced(): readonly number[] {
    if (this.#spec.skipsForced !== true) return [];
    const tokens: number[] = [];
    const passed = new Set<number>();
    let state = this.#state;
    for (let [only, other] = this.#transitions(state); only !== undefined && other === undefined;) {
      // A circle without a way out: the sequence's length ends it, a round at a time.
      if (passed.has(state)) break;
      passed.add(state);
      tokens.push(only[0]);
      state = only[1];
      [only, other] = this.#transitions(state);
    }
    return tokens;
  }

  get ended(): boolean {
    return this.#transitions(this.#state).length === 0;
  }

  advance(tokenId: number): void {
    const taken = this.#transitions(this.#state).find(([id]) => id === tokenId);
    this.#enter(present(taken, 'only allowed tokens come')[1]);
  }

  #transitions(state: number): AutomatonSpec['states'][number] {
    return present(this.#spec.states[state], 'a state of the automaton');
  }

  #enter(state: number): void {
    for (const [tokenId] of this.#transitions(this.#state)) this.#mask[tokenId >>> 5] = 0;
    this.#state = state;
    for (const [tokenId] of this.#transitions(state)) allowToken(this.#mask, tokenId);
  }
}
