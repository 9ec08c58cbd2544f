import { AppError, describe } from '../../base/index.js';
import { Type } from '../../schema/index.js';

/** From none at all to as much as the model likes. `ultra` is DeepSeek's word for the last. */
const Effort = Type.Enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra']);
export type Effort = Type.Static<typeof Effort>;

/** A number of tokens, or -1: no limit. 0 is no thinking. */
const Budget = Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER });
const BudgetOrNull = Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]);
const JsonObject = Type.Record(Type.String(), Type.Unknown());

/** The fields by which clients ask for thinking, each dialect by its own. */
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

/** Formats in which reasoning is not given out. */
export const HIDDEN_FORMATS: readonly string[] = ['hidden'];
const SHOWN_FORMATS: readonly string[] = ['auto', 'deepseek', 'parsed'];

/** What the schema cannot say. Errors: `invalid_value`, `invalid_type`, `unsupported_value`. */
export function checkThinkingFields(request: ThinkingFields): void {
  const { thinking, reasoning_format: format } = request;
  // `adaptive` leaves it to the model, as a request without the field does.
  if (thinking !== undefined && !['enabled', 'disabled', 'adaptive'].includes(thinking.type)) {
    const param = 'thinking.type';
    const found = describe(thinking.type, true);
    throw new AppError('invalid_value', `${param} must be enabled, disabled or adaptive; it is ${found}`, { param });
  }
  if (format !== undefined && ![...HIDDEN_FORMATS, ...SHOWN_FORMATS].includes(format)) {
    const param = 'reasoning_format';
    const known = [...SHOWN_FORMATS, ...HIDDEN_FORMATS].join(', ');
    throw new AppError('unsupported_value', `${param} is ${describe(format, true)}; ${known} work`, { param });
  }
  const byTemplate = request.chat_template_kwargs?.['enable_thinking'];
  if (byTemplate !== undefined && byTemplate !== null && typeof byTemplate !== 'boolean') {
    const param = 'chat_template_kwargs.enable_thinking';
    throw new AppError('invalid_type', `${param} must be of type boolean, not ${describe(byTemplate)}`, { param });
  }
}
