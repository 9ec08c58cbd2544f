import { invalidValue } from '../../base/index.js';
import { checkTokenId } from '../check-token-id.js';
import type { Constraint, ConstraintKind } from '../constraint.js';
import { allowToken, createTokenMask, type TokenMask } from '../token-mask.js';

/** A bound on reasoning: after `budget` tokens between the tags the closing one is all that may come. */
export interface ReasoningBudgetSpec {
  readonly kind: 'reasoning-budget';
  /** Tokens of reasoning, its tags not counted; 0 closes at once. */
  readonly budget: number;
  /** The prompt has opened the reasoning already. */
  readonly startsInside: boolean;
  /** The tags, each a token of its own. */
  readonly openTokenId: number;
  readonly closeTokenId: number;
}

/** Reasoning that ends in time. Each opening tag begins a new count: a model may think again after a tool call. */
export const reasoningBudget: ConstraintKind<ReasoningBudgetSpec> = {
  check({ budget, openTokenId, closeTokenId }, vocabSize) {
    if (!Number.isInteger(budget) || budget < 0)
      throw invalidValue('constraint.budget', budget, 'a whole number from 0 on');
    checkTokenId('constraint.openTokenId', openTokenId, vocabSize);
    checkTokenId('constraint.closeTokenId', closeTokenId, vocabSize);
  },
  create: (spec, vocabSize) => new ReasoningBudget(spec, vocabSize),
};

class ReasoningBudget implements Constraint {
  readonly ended = false;
  readonly #spec: ReasoningBudgetSpec;
  readonly #closing: TokenMask;
  /** Tokens of reasoning that may still come; undefined outside of it. */
  #left: number | undefined;

  constructor(spec: ReasoningBudgetSpec, vocabSize: number) {
    this.#spec = spec;
    this.#closing = createTokenMask(vocabSize);
    allowToken(this.#closing, spec.closeTokenId);
    this.#left = spec.startsInside ? spec.budget : undefined;
  }

  get allowed(): TokenMask | undefined {
    return this.#left === 0 ? this.#closing : undefined;
  }

  get forced(): readonly number[] {
    return this.#left === 0 ? [this.#spec.closeTokenId] : [];
  }

  advance(tokenId: number): void {
    const { budget, openTokenId, closeTokenId } = this.#spec;
    if (this.#left === undefined) this.#left = tokenId === openTokenId ? budget : undefined;
    else if (tokenId === closeTokenId) this.#left = undefined;
    else this.#left--;
  }
}
