import type { ModelDialect } from '../../chat/index.js';
import type { ConstraintSpec } from '../../grammar/index.js';
import type { Tokenizer } from '../../tokenizer/index.js';
import type { Thinking } from '../request.js';

/** The facts besides the request that decide a limit on reasoning. */
export interface ReasoningSurroundings {
  readonly dialect: ModelDialect;
  readonly tokenizer: Pick<Tokenizer, 'tokenToId'>;
  /** The prompt ends inside a reasoning section. */
  readonly startsInReasoning: boolean;
  /** The prompt ends with a closed reasoning section, as some templates write it for an answer without reasoning. */
  readonly endsAfterReasoning: boolean;
  /** Limit of reasoning and answer together, in tokens. */
  readonly maxTokens: number;
}

/**
 * The request's limit on reasoning, as a constraint. A request without thinking allows none, even where the template
 * opens a section. Absent without a limit, and for models whose tags of reasoning are not single tokens.
 */
export function toReasoningLimit(thinking: Thinking, surroundings: ReasoningSurroundings): ConstraintSpec | undefined {
  const tags = tagsOf(surroundings);
  const budget = budgetOf(thinking, surroundings.maxTokens);
  if (tags === undefined || budget === undefined) return undefined;
  return { kind: 'reasoning-budget', budget, ...tags };
}

/** Constrains an answer to `then`, which begins after the reasoning; the reasoning keeps its own limit. */
export function afterReasoning(
  then: Extract<ConstraintSpec, { kind: 'grammar' }>,
  thinking: Thinking,
  surroundings: ReasoningSurroundings,
): ConstraintSpec {
  const tags = tagsOf(surroundings);
  const budget = budgetOf(thinking, surroundings.maxTokens);
  // No reasoning follows.
  const isOver = surroundings.endsAfterReasoning || (budget === 0 && !surroundings.startsInReasoning);
  if (tags === undefined || isOver) return then;
  return { kind: 'after-reasoning', ...tags, ...(budget !== undefined && { budget }), answer: then };
}

interface ReasoningTags {
  readonly openTokenId: number;
  readonly closeTokenId: number;
  readonly startsInside: boolean;
}

/** Absent for models whose tags of reasoning are not single tokens. */
function tagsOf({ dialect, tokenizer, startsInReasoning }: ReasoningSurroundings): ReasoningTags | undefined {
  if (dialect.reasoningTags === null) return undefined;
  const openTokenId = tokenizer.tokenToId(dialect.reasoningTags.open);
  const closeTokenId = tokenizer.tokenToId(dialect.reasoningTags.close);
  if (openTokenId === undefined || closeTokenId === undefined) return undefined;
  return { openTokenId, closeTokenId, startsInside: startsInReasoning };
}

/** The most tokens of reasoning; undefined without a limit. */
function budgetOf({ enabled, budgetTokens, budgetShare }: Thinking, maxTokens: number): number | undefined {
  if (enabled === false) return 0;
  const share = budgetShare === undefined ? undefined : Math.max(1, Math.floor(budgetShare * maxTokens));
  return budgetTokens ?? share;
}
