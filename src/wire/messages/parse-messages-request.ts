import { createFieldsCheck, MessagesCountRequest, readRequestFields, withJsonSources } from '../../api/index.js';
import { checkLogitBias } from '../parsing/check-sampling-fields.js';
import { checkTemplateKwargs } from '../parsing/parse-chat-request.js';
import { checkThinkingFields } from '../parsing/read-thinking.js';
import { refuseFields, type RefusedField } from '../parsing/refused-fields.js';
import { invalidField, missingField } from '../parsing/request-errors.js';
import { readSeed, spellSeed } from '../parsing/seed.js';
import { refuseUnsupportedFields } from '../parsing/unsupported-fields.js';
import { MessagesRequest } from '../request-schemas.js';
import { bareOthers } from '../tools/left-out.js';
import { readToolChoice } from './message-prompt.js';
import { isOfServer } from './message-turns.js';
import { isServedByMessages, offerMessagesTools } from './messages-tools.js';

const check = createFieldsCheck(MessagesRequest);
const checkCount = createFieldsCheck(MessagesCountRequest);

/** Fields of Anthropic's API that this server lacks. */
const refused: Readonly<Record<string, RefusedField>> = {
  response_format: { harmless: () => false, why: 'is of chat completions; send output_config.format instead' },
  output_format: { harmless: () => false, why: 'is retired; send output_config.format instead' },
};

/**
 * A request of the messages API from untrusted JSON. Unknown keys stay; top-level nulls are dropped.
 * Errors, with `details.param` naming the path: `missing_required_parameter`, `invalid_type`, `invalid_value`,
 * `unsupported_parameter`, `unsupported_value`.
 */
export function parseMessagesRequest(value: unknown): MessagesRequest {
  const fields = spellSeed(withoutOthers(readRequestFields(value)));
  refuseFields(fields, refused);
  refuseUnsupportedFields(fields);
  const request = check(fields);
  checkPromptFields(request);
  checkLogitBias(request.logit_bias);
  readSeed(request.seed);
  const { thinking, max_tokens: maxTokens } = request;
  const budget = thinking?.type === 'enabled' ? (thinking.budget_tokens ?? 0) : 0;
  if (budget >= maxTokens) {
    throw invalidField('thinking.budget_tokens', `must be below max_tokens, which is ${maxTokens}`, budget);
  }
  return request;
}

/** A request for the tokens of a prompt: the same without an answer. Errors: the same. */
export function parseMessagesCountRequest(
  value: unknown,
  sources: Readonly<Record<string, string>>,
): MessagesCountRequest {
  const fields = withoutOthers(readRequestFields(value));
  refuseFields(fields, refused);
  const request = checkCount(fields);
  checkPromptFields(request);
  return withJsonSources(request, sources);
}

function checkPromptFields(request: MessagesCountRequest): void {
  const format = request.output_config?.format ?? undefined;
  if (format !== undefined) {
    if (format.type !== 'json_schema')
      throw invalidField('output_config.format.type', 'must be json_schema', format.type);
    if (format.schema === undefined) throw missingField('output_config.format.schema');
  }
  readToolChoice(request, offerMessagesTools(request));
  checkThinkingFields(request);
  checkTemplateKwargs(request);
}

/** Tools and blocks of other types are left out: they are no reason to refuse the rest. */
function withoutOthers(fields: Record<string, unknown>): Record<string, unknown> {
  const { tools, messages } = fields;
  return {
    ...fields,
    ...(tools !== undefined && { tools: bareOthers(tools, isServedByMessages) }),
    ...(Array.isArray(messages) && { messages: messages.map(withoutOtherBlocks) }),
  };
}

function withoutOtherBlocks(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('content' in message)) return message;
  return { ...message, content: bareOthers(message.content, (type) => !isOfServer(type)) };
}
