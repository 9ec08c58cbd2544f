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
  /** Tokens that reasoning and answer may have together. */
  readonly maxTokens: number;
}

/**
 * The limit that a request sets on reasoning, as a constraint. A request without thinking allows none of it, even where
 * the template opens it all the same. Absent where nothing is limited, and for models that do not write reasoning
 * between tags that are tokens.
 */
export function toReasoningLimit(
  { enabled, budgetTokens, budgetShare }: Thinking,
  { dialect, tokenizer, startsInReasoning, maxTokens }: ReasoningSurroundings,
): ConstraintSpec | undefined {
  if (dialect.reasoningTags === null) return undefined;
  const openTokenId = tokenizer.tokenToId(dialect.reasoningTags.open);
  const closeTokenId = tokenizer.tokenToId(dialect.reasoningTags.close);
  if (openTokenId === undefined || closeTokenId === undefined) return undefined;
  const share = budgetShare === undefined ? undefined : Math.max(1, Math.floor(budgetShare * maxTokens));
  const budget = enabled === false ? 0 : (budgetTokens ?? share);
  if (budget === undefined) return undefined;
  return { kind: 'reasoning-budget', budget, startsInside: startsInReasoning, openTokenId, closeTokenId };
}
