import { Type } from '../../schema/index.js';

/** From none at all to as much as the model likes. `ultra` is DeepSeek's name for the highest. */
const Effort = Type.Enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra']);
export type Effort = Type.Static<typeof Effort>;

/** A number of tokens, or -1: no limit. 0 means no thinking. */
const Budget = Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER });
const BudgetOrNull = Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]);
const JsonObject = Type.Record(Type.String(), Type.Unknown());

/** The fields of every dialect for thinking. */
export const thinkingFields = {
  /** Seed and Anthropic; DeepSeek. */
  thinking: Type.Optional(Type.Object({ type: Type.String(), budget_tokens: Type.Optional(BudgetOrNull) })),
  /** Qwen's compatible mode. */
  enable_thinking: Type.Optional(Type.Boolean()),
  thinking_budget: Type.Optional(Budget),
  /** vLLM. */
  thinking_token_budget: Type.Optional(Budget),
  chat_template_kwargs: Type.Optional(JsonObject),
  include_reasoning: Type.Optional(Type.Boolean()),
  /** OpenAI. */
  reasoning_effort: Type.Optional(Effort),
  /** OpenRouter; Ollama. */
  reasoning: Type.Optional(
    Type.Object({
      effort: Type.Optional(Type.Union([Effort, Type.Null()])),
      max_tokens: Type.Optional(BudgetOrNull),
      enabled: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
      exclude: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    }),
  ),
  /** llama.cpp; Groq. */
  reasoning_format: Type.Optional(Type.String()),
};
const ThinkingFields = Type.Object(thinkingFields);
export type ThinkingFields = Type.Static<typeof ThinkingFields>;
