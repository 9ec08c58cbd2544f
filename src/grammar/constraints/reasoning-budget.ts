import { checkedLater, flag, invalidValue } from '../../base/index.js';
import { checkTokenId } from '../check-token-id.js';
import type { Constraint, ConstraintKind } from '../constraint.js';
import { allowToken, createTokenMask, type TokenMask } from '../token-mask.js';

/** A bound on reasoning: after `budget` tokens between the tags the closing one is all that may come. */
export interface ReasoningBudgetSpec {
  /** Which constraint it is. */
  readonly kind: 'reasoning-budget';
  /** Tokens of reasoning, its tags not counted; 0 closes at once. */
  readonly budget: number;
  /** The prompt has opened the reasoning already. */
  readonly startsInside: boolean;
  /** The opening tag, a token of its own. */
  readonly openTokenId: number;
  /** The closing tag, a token of its own. */
  readonly closeTokenId: number;
}

/**
 * Limits reasoning. Only the first section is reasoning: a later one is content. A model that was cut short may want to
 * close the continued text, so no other tag may follow a forced one.
 */
export const reasoningBudget: ConstraintKind<ReasoningBudgetSpec> = {
  fields: {
    kind: checkedLater,
    budget: checkedLater,
    startsInside: flag,
    openTokenId: checkedLater,
    closeTokenId: checkedLater,
  },
  check({ budget, openTokenId, closeTokenId }, { vocabSize }) {
    if (!Number.isInteger(budget) || budget < 0) {
      throw invalidValue('constraint.budget', budget, 'a whole number from 0 on');
    }
    checkTokenId('constraint.openTokenId', openTokenId, vocabSize);
    checkTokenId('constraint.closeTokenId', closeTokenId, vocabSize);
  },
  create: (spec, { vocabSize }) => new ReasoningBudget(spec, vocabSize),
};

/** `cut`: closed because the budget was used up; `over`: by the model itself. */
type State = 'before' | 'inside' | 'cut' | 'over';

class ReasoningBudget implements Constraint {
  readonly ended = false;
  readonly #spec: ReasoningBudgetSpec;
  readonly #closing: TokenMask;
  readonly #notClosing: TokenMask;
  #state: State;
  /** Tokens of reasoning that may still come. */
  #left: number;

  constructor(spec: ReasoningBudgetSpec, vocabSize: number) {
    this.#spec = spec;
    this.#closing = createTokenMask(vocabSize);
    allowToken(this.#closing, spec.closeTokenId);
    this.#notClosing = this.#closing.map((word) => ~word);
    this.#state = spec.startsInside ? 'inside' : 'before';
    this.#left = spec.budget;
  }

  get allowed(): TokenMask | undefined {
    if (this.#state === 'cut') return this.#notClosing;
    return this.#isClosing ? this.#closing : undefined;
  }

  get forced(): readonly number[] {
    return this.#isClosing ? [this.#spec.closeTokenId] : [];
  }

  advance(tokenId: number): void {
    if (this.#state === 'before' && tokenId === this.#spec.openTokenId) this.#state = 'inside';
    else if (this.#state !== 'inside') return;
    else if (tokenId === this.#spec.closeTokenId) this.#state = this.#left === 0 ? 'cut' : 'over';
    else this.#left--;
  }

  get #isClosing(): boolean {
    return this.#state === 'inside' && this.#left === 0;
  }
}
