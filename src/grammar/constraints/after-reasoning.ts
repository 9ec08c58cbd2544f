import { checkedLater, flag, invalidValue } from '../../base/index.js';
import { checkTokenId } from '../check-token-id.js';
import type { Constraint, ConstraintKind, ConstraintSurroundings } from '../constraint.js';
import type { SpaceToken } from '../mask/index.js';
import { allowToken, createTokenMask, isAllowed, type TokenMask } from '../token-mask.js';
import type { AutomatonSpec } from './automaton.js';
import type { GrammarSpec } from './grammar.js';
import { reasoningBudget } from './reasoning-budget.js';

/** The constraint of an answer after reasoning. */
export type AnswerSpec = AutomatonSpec | GrammarSpec;

/** An answer that may have reasoning before it, to which its own constraint does not apply. */
export interface AfterReasoningSpec {
  /** Which constraint it is. */
  readonly kind: 'after-reasoning';
  /** The opening tag, a token of its own. */
  readonly openTokenId: number;
  /** The closing tag, a token of its own. */
  readonly closeTokenId: number;
  /** The prompt has opened the reasoning already. */
  readonly startsInside: boolean;
  /** Tokens of reasoning, its tags not counted; absent: as many as come. */
  readonly budget?: number;
  /** The constraint of the answer. */
  readonly answer: AnswerSpec;
}

/** Line feeds that models write between the closing tag and the answer: two, seldom more. */
const MAX_SPACE = 8;

/**
 * Reasoning, then an answer of its own constraint. Where the prompt has not opened any, the answer may begin at once. Tokens
 * that end the answer do not come within the reasoning, since an answer is due.
 */
export const afterReasoning: ConstraintKind<AfterReasoningSpec, AnswerSpec> = {
  fields: {
    kind: checkedLater,
    openTokenId: checkedLater,
    closeTokenId: checkedLater,
    startsInside: flag,
    budget: checkedLater,
    answer: checkedLater,
  },
  check({ openTokenId, closeTokenId, budget, answer }, surroundings, inner) {
    checkTokenId('constraint.openTokenId', openTokenId, surroundings.vocabSize);
    checkTokenId('constraint.closeTokenId', closeTokenId, surroundings.vocabSize);
    if (budget !== undefined && (!Number.isInteger(budget) || budget < 0)) {
      throw invalidValue('constraint.budget', budget, 'a whole number from 0 on');
    }
    const kind = (answer as Partial<AnswerSpec> | null)?.kind;
    if (kind !== 'automaton' && kind !== 'grammar') {
      throw invalidValue('constraint.answer.kind', kind, 'automaton or grammar');
    }
    inner(answer);
  },
  create: (spec, surroundings, inner) => new AfterReasoning(spec, surroundings, inner(spec.answer)),
};

/** `space`: the reasoning is over and the answer has not begun. */
type Stage = 'before' | 'inside' | 'space' | 'answer';

class AfterReasoning implements Constraint {
  readonly #spec: AfterReasoningSpec;
  readonly #answer: Constraint;
  /** The rule within the tags, once they are open. */
  readonly #limit: Constraint | undefined;
  readonly #spaces: readonly SpaceToken[];
  /** All but what would end the answer. */
  readonly #reasoning: TokenMask;
  readonly #own: TokenMask;
  #stage: Stage;
  /** Line feeds that may still come before the answer. */
  #spaceLeft = MAX_SPACE;

  constructor(spec: AfterReasoningSpec, { vocabSize, vocabulary }: ConstraintSurroundings, inner: Constraint) {
    this.#spec = spec;
    this.#answer = inner;
    const { openTokenId, closeTokenId, budget, answer } = spec;
    if (budget !== undefined) {
      const limit = { kind: 'reasoning-budget', budget, startsInside: true, openTokenId, closeTokenId } as const;
      this.#limit = reasoningBudget.create(limit, { vocabSize }, () => inner);
    }
    this.#spaces = answer.kind === 'grammar' ? (vocabulary?.spaces ?? []) : [];
    this.#own = createTokenMask(vocabSize);
    const ends = createTokenMask(vocabSize);
    if (answer.kind === 'grammar') for (const end of answer.endTokenIds) allowToken(ends, end);
    this.#reasoning = ends.map((word) => ~word);
    this.#stage = spec.startsInside ? 'inside' : 'before';
  }

  get allowed(): TokenMask | undefined {
    if (this.#stage === 'inside') return this.#limit?.allowed ?? this.#reasoning;
    const { allowed } = this.#answer;
    if (allowed === undefined || this.#stage === 'answer') return allowed;
    this.#own.set(allowed);
    if (this.#stage === 'before') allowToken(this.#own, this.#spec.openTokenId);
    else for (const { id, length } of this.#spaces) if (length <= this.#spaceLeft) allowToken(this.#own, id);
    return this.#own;
  }

  get isReady(): boolean {
    return this.#stage === 'inside' || this.#answer.isReady !== false;
  }

  prepare(drafts: readonly number[]): void {
    if (this.#stage !== 'inside') return this.#answer.prepare?.(drafts);
    // Prepares its first mask while the model thinks, and the masks after a drafted closing tag.
    const close = drafts.indexOf(this.#spec.closeTokenId);
    const isSpace = (id: number): boolean => this.#spaces.some((space) => space.id === id);
    const behind = close === -1 ? [] : drafts.slice(close + 1);
    const start = behind.findIndex((id) => !isSpace(id));
    this.#answer.prepare?.(start === -1 ? [] : behind.slice(start));
  }

  get forced(): readonly number[] {
    if (this.#stage === 'inside') return this.#limit?.forced ?? [];
    return this.#stage === 'answer' ? this.#answer.forced : [];
  }

  get forcedBytes(): Uint8Array {
    return (this.#stage === 'answer' ? this.#answer.forcedBytes : undefined) ?? new Uint8Array();
  }

  get ended(): boolean {
    return this.#stage !== 'inside' && this.#answer.ended;
  }

  advance(tokenId: number): void {
    if (this.#stage === 'inside') {
      this.#limit?.advance(tokenId);
      if (tokenId === this.#spec.closeTokenId) this.#stage = 'space';
      return;
    }
    if (this.#stage === 'before' && tokenId === this.#spec.openTokenId) {
      this.#stage = 'inside';
      return;
    }
    const space = this.#stage === 'space' ? this.#spaceOf(tokenId) : undefined;
    if (space !== undefined) {
      this.#spaceLeft -= space.length;
      return;
    }
    this.#stage = 'answer';
    this.#answer.advance(tokenId);
  }

  #mayAnswer(tokenId: number): boolean {
    if (this.#answer.allows !== undefined) return this.#answer.allows(tokenId);
    const { allowed } = this.#answer;
    return allowed === undefined || isAllowed(allowed, tokenId);
  }

  /** Line feeds before the answer: the answer's own beginning belongs to the answer. */
  #spaceOf(tokenId: number): SpaceToken | undefined {
    if (this.#mayAnswer(tokenId)) return undefined;
    return this.#spaces.find(({ id, length }) => id === tokenId && length <= this.#spaceLeft);
  }
}
