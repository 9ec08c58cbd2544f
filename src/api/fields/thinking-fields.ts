import { AppError, describe } from '../../base/index.js';
import { Type } from '../../schema/index.js';

/** From none at all to as much as the model likes. `ultra` is DeepSeek's word for the last. */
const Effort = Type.Enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra']);
type Effort = Type.Static<typeof Effort>;

/** A number of tokens, or -1: no limit. 0 is no thinking. */
const Budget = Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER });
const BudgetOrNull = Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]);
const JsonObject = Type.Record(Type.String(), Type.Unknown());

/** The fields by which clients ask for thinking, each dialect by its own. `readThinking` reads them. */
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

/** What a request says of thinking, in whichever words. */
export interface ThinkingChoice {
  /** Absent: the template's own default. */
  readonly enabled?: boolean;
  /** The most tokens between the tags. */
  readonly budgetTokens?: number;
  /** The same as a part of all completion tokens. */
  readonly budgetShare?: number;
  /** Reasoning is counted, and not given out. */
  readonly isHidden: boolean;
}

/** Parts of the completion that an effort may reason for; the efforts above think as long as they like. Source: OpenRouter's documentation of reasoning tokens. */
const EFFORT_SHARES: Partial<Record<Effort, number>> = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.95 };
const HIDDEN_FORMATS: readonly string[] = ['hidden'];
const SHOWN_FORMATS: readonly string[] = ['auto', 'deepseek', 'parsed'];

/** Reads a checked request. An explicit budget outranks thinking.type, that enable_thinking, that an effort. */
export function readThinking(request: ThinkingFields): ThinkingChoice {
  const { reasoning, reasoning_format: format } = request;
  const isHidden =
    request.include_reasoning === false || reasoning?.exclude === true || HIDDEN_FORMATS.includes(format ?? '');
  return { ...readBudget(request), isHidden };
}

function readBudget(request: ThinkingFields): Omit<ThinkingChoice, 'isHidden'> {
  const { thinking, reasoning } = request;
  if (thinking?.type === 'disabled') return { enabled: false };
  const budget =
    thinking?.budget_tokens ?? request.thinking_budget ?? request.thinking_token_budget ?? reasoning?.max_tokens ?? -1;
  if (budget !== -1) return budget === 0 ? { enabled: false } : { enabled: true, budgetTokens: budget };
  if (thinking?.type === 'enabled') return { enabled: true };
  const byTemplate = request.chat_template_kwargs?.['enable_thinking'];
  const enabled =
    request.enable_thinking ?? (typeof byTemplate === 'boolean' ? byTemplate : undefined) ?? reasoning?.enabled;
  if (typeof enabled === 'boolean') return { enabled };
  const effort = request.reasoning_effort ?? reasoning?.effort ?? undefined;
  if (effort === undefined) return {};
  if (effort === 'none') return { enabled: false };
  const budgetShare = EFFORT_SHARES[effort];
  return { enabled: true, ...(budgetShare !== undefined && { budgetShare }) };
}

/** The first field by which a request asks for thinking or against it, as `readThinking` reads them. */
export function thinkingField(request: ThinkingFields): string | undefined {
  const { thinking, reasoning } = request;
  const fields: readonly (readonly [string, unknown])[] = [
    ['thinking', thinking],
    ['thinking_budget', request.thinking_budget],
    ['thinking_token_budget', request.thinking_token_budget],
    ['reasoning', reasoning?.max_tokens],
    ['enable_thinking', request.enable_thinking],
    ['chat_template_kwargs.enable_thinking', request.chat_template_kwargs?.['enable_thinking']],
    ['reasoning', reasoning?.enabled],
    ['reasoning_effort', request.reasoning_effort],
    ['reasoning', reasoning],
  ];
  return fields.find(([, value]) => value !== undefined && value !== null)?.[0];
}

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
