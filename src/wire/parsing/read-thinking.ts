import { toBoolean, type Effort, type ThinkingFields } from '../../api/index.js';
import { AppError, describe } from '../../base/index.js';
import type { Thinking } from '../../completion/index.js';

/** Parts of the completion that an effort may reason for; the efforts above think as long as they like. Source: OpenRouter's documentation of reasoning tokens. */
const EFFORT_SHARES: Partial<Record<Effort, number>> = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.95 };

/** Formats in which answers omit reasoning. */
const HIDDEN_FORMATS: readonly string[] = ['hidden'];
const SHOWN_FORMATS: readonly string[] = ['auto', 'deepseek', 'parsed'];

/**
 * The thinking settings of a checked request, in any dialect's words. An explicit budget outranks thinking.type, that
 * enable_thinking, that an effort.
 */
export function readThinking(request: ThinkingFields): Thinking {
  const { reasoning, reasoning_format: format } = request;
  const isHidden =
    request.include_reasoning === false || reasoning?.exclude === true || HIDDEN_FORMATS.includes(format ?? '');
  return { ...readBudget(request), isHidden };
}

function readBudget(request: ThinkingFields): Omit<Thinking, 'isHidden'> {
  const { thinking, reasoning } = request;
  if (thinking?.type === 'disabled') return { enabled: false };
  const budget =
    thinking?.budget_tokens ?? request.thinking_budget ?? request.thinking_token_budget ?? reasoning?.max_tokens ?? -1;
  if (budget !== -1) return budget === 0 ? { enabled: false } : { enabled: true, budgetTokens: budget };
  if (thinking?.type === 'enabled') return { enabled: true };
  const byTemplate = toBoolean(request.chat_template_kwargs?.['enable_thinking']);
  const enabled = request.enable_thinking ?? byTemplate ?? reasoning?.enabled;
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

/** Checks beyond the schema. Errors: `invalid_value`, `invalid_type`, `unsupported_value`. */
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
  if (byTemplate !== undefined && byTemplate !== null && toBoolean(byTemplate) === undefined) {
    const param = 'chat_template_kwargs.enable_thinking';
    throw new AppError('invalid_type', `${param} must be of type boolean, not ${describe(byTemplate)}`, { param });
  }
}
