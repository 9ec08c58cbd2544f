import type { Dialect } from '../../chat/index.js';
import type { ConstraintSpec } from '../../grammar/index.js';
import type { Tokenizer } from '../../tokenizer/index.js';
import type { Thinking } from '../request.js';

/** What a limit on reasoning depends on besides the request. */
export interface ReasoningSurroundings {
  readonly dialect: Dialect;
  readonly tokenizer: Pick<Tokenizer, 'tokenToId'>;
  /** The prompt ends inside a reasoning section. */
  readonly startsInReasoning: boolean;
  /** The prompt ends with one that is closed, as templates write it that leave no reasoning to the model. */
  readonly endsAfterReasoning: boolean;
  /** Tokens that reasoning and answer may have together. */
  readonly maxTokens: number;
}

/**
 * The limit that a request sets on reasoning, as a constraint. A request without thinking allows none of it, even where
 * the template opens it all the same. Absent where nothing is limited, and for models that do not write reasoning
 * between tags that are tokens.
 */
export function toReasoningLimit(thinking: Thinking, surroundings: ReasoningSurroundings): ConstraintSpec | undefined {
  const tags = tagsOf(surroundings);
  const budget = budgetOf(thinking, surroundings.maxTokens);
  if (tags === undefined || budget === undefined) return undefined;
  return { kind: 'reasoning-budget', budget, ...tags };
}

/** An answer held to `then`, which does not apply to the reasoning before it; the limit of that does. */
export function afterReasoning(
  then: Extract<ConstraintSpec, { kind: 'grammar' }>,
  thinking: Thinking,
  surroundings: ReasoningSurroundings,
): ConstraintSpec {
  const tags = tagsOf(surroundings);
  const budget = budgetOf(thinking, surroundings.maxTokens);
  // There is none to come.
  const isOver = surroundings.endsAfterReasoning || (budget === 0 && !surroundings.startsInReasoning);
  if (tags === undefined || isOver) return then;
  return { kind: 'after-reasoning', ...tags, ...(budget !== undefined && { budget }), answer: then };
}

interface ReasoningTags {
  readonly openTokenId: number;
  readonly closeTokenId: number;
  readonly startsInside: boolean;
}

/** Absent for models that do not write reasoning between tags that are tokens. */
function tagsOf({ dialect, tokenizer, startsInReasoning }: ReasoningSurroundings): ReasoningTags | undefined {
  if (dialect.reasoningTags === null) return undefined;
  const openTokenId = tokenizer.tokenToId(dialect.reasoningTags.open);
  const closeTokenId = tokenizer.tokenToId(dialect.reasoningTags.close);
  if (openTokenId === undefined || closeTokenId === undefined) return undefined;
  return { openTokenId, closeTokenId, startsInside: startsInReasoning };
}

/** The most tokens of reasoning; undefined where nothing is said. */
function budgetOf({ enabled, budgetTokens, budgetShare }: Thinking, maxTokens: number): number | undefined {
  if (enabled === false) return 0;
  const share = budgetShare === undefined ? undefined : Math.max(1, Math.floor(budgetShare * maxTokens));
  return budgetTokens ?? share;
}
