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

/** Reasoning that ends in time. Only the first section is reasoning: what looks like another is content. */
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
  #isOver = false;

  constructor(spec: ReasoningBudgetSpec, vocabSize: number) {
    this.#spec = spec;
    this.#closing = createTokenMask(vocabSize);
    allowToken(this.#closing, spec.closeTokenId);
    this.#left = spec.startsInside ? spec.budget : undefined;
  }

  get allowed(): TokenMask | undefined {
    return this.#isClosing ? this.#closing : undefined;
  }

  get forced(): readonly number[] {
    return this.#isClosing ? [this.#spec.closeTokenId] : [];
  }

  get #isClosing(): boolean {
    return this.#left === 0 && !this.#isOver;
  }

  advance(tokenId: number): void {
    const { budget, openTokenId, closeTokenId } = this.#spec;
    if (this.#isOver) return;
    if (this.#left === undefined) this.#left = tokenId === openTokenId ? budget : undefined;
    else if (tokenId === closeTokenId) this.#isOver = true;
    else this.#left--;
  }
}
