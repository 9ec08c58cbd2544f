import { createFieldsCheck, MAX_TEMPLATE_KWARGS, readRequestFields, type ChatMessage } from '../../api/index.js';
import { AppError, describe } from '../../base/index.js';
import { ChatCompletionRequest } from '../request-schemas.js';
import { checkSamplingFields } from './check-sampling-fields.js';
import { readFormat } from './read-format.js';
import { checkThinkingFields } from './read-thinking.js';
import { readToolChoice } from './read-tool-choice.js';
import { isServedByChat, offerChatTools } from '../tools/chat-tools.js';
import { bareOthers } from '../tools/left-out.js';
import { readSeed, spellSeed } from './seed.js';
import { refuseUnsupportedFields } from './unsupported-fields.js';

const check = createFieldsCheck(ChatCompletionRequest);

/**
 * A chat-completions request from untrusted JSON. Unknown keys stay; top-level nulls are dropped.
 * Errors, with `details.param` naming the path: `missing_required_parameter`, `invalid_type`, `invalid_value`,
 * `unsupported_parameter`, `unsupported_value`.
 */
export function parseChatCompletionRequest(value: unknown): ChatCompletionRequest {
  const fields = spellSeed(withoutOthers(readRequestFields(value)));
  refuseUnsupportedFields(fields);
  const request = check(fields);
  request.messages.forEach(checkMessage);
  readToolChoice(request.tool_choice, offerChatTools(request));
  readFormat(request);
  checkSamplingFields(request);
  readSeed(request.seed);
  checkThinkingFields(request);
  checkTemplateKwargs(request);
  return request;
}

function checkMessage(message: ChatMessage, index: number): void {
  const path = `messages[${index}]`;
  const { role, content } = message;
  if (role === 'tool' && typeof message.tool_call_id !== 'string') throw missing(`${path}.tool_call_id`);
  checkCalls(message, path);
  const numCalls = message.tool_calls?.length ?? 0;
  const hasOldCall = message.function_call !== undefined && message.function_call !== null;
  if (hasOldCall && numCalls > 0) {
    const param = `${path}.function_call`;
    throw new AppError('invalid_value', `${param} stands beside tool_calls; send the calls in tool_calls alone`, {
      param,
    });
  }
  const mayBeEmpty = role === 'assistant' && (numCalls > 0 || hasOldCall);
  if ((content === undefined || content === null) && !mayBeEmpty) throw missing(`${path}.content`);
  if (Array.isArray(content)) {
    content.forEach((part, position) => {
      const param = `${path}.content[${position}]`;
      if (part.type !== 'text') {
        const kind = describe(part.type, true);
        throw new AppError('unsupported_value', `${param} is of type ${kind}; this model takes only text parts`, {
          param,
        });
      }
      if (part.text === undefined) throw missing(`${param}.text`);
    });
  }
}

function checkCalls({ tool_calls: calls }: ChatMessage, path: string): void {
  calls?.forEach(({ type = 'function', function: called, custom }, index) => {
    const param = `${path}.tool_calls[${index}]`;
    if (type === 'custom' && custom === undefined) throw missing(`${param}.custom`);
    if (type !== 'custom' && isServedByChat(type) && called === undefined) throw missing(`${param}.function`);
  });
}

/** Tools and calls of other types are left out: they are no reason to refuse the rest. */
function withoutOthers(fields: Record<string, unknown>): Record<string, unknown> {
  const { tools, messages } = fields;
  return {
    ...fields,
    ...(tools !== undefined && { tools: bareOthers(tools, isServedByChat) }),
    ...(Array.isArray(messages) && { messages: messages.map(withoutOtherCalls) }),
  };
}

function withoutOtherCalls(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('tool_calls' in message)) return message;
  return { ...message, tool_calls: bareOthers(message.tool_calls, isServedByChat) };
}

/** Errors: `invalid_value`. */
export function checkTemplateKwargs({
  chat_template_kwargs: kwargs,
}: Pick<ChatCompletionRequest, 'chat_template_kwargs'>): void {
  const names = Object.keys(kwargs ?? {});
  const param = 'chat_template_kwargs';
  if (names.length > MAX_TEMPLATE_KWARGS) {
    throw new AppError(
      'invalid_value',
      `${param} must have at most ${MAX_TEMPLATE_KWARGS} keys; it has ${names.length}`,
      {
        param,
      },
    );
  }
}

function missing(param: string): AppError {
  return new AppError('missing_required_parameter', `${param} is required and is missing`, { param });
}
