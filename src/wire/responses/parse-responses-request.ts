import { createFieldsCheck, readRequestFields, type TextFormat } from '../../api/index.js';
import { checkLogitBias, checkTokenLimit } from '../parsing/check-sampling-fields.js';
import { checkTemplateKwargs } from '../parsing/parse-chat-request.js';
import { checkThinkingFields } from '../parsing/read-thinking.js';
import { refuseFields, type RefusedField } from '../parsing/refused-fields.js';
import { invalidField, missingField, unsupportedValue } from '../parsing/request-errors.js';
import { readSeed, spellSeed } from '../parsing/seed.js';
import { refuseUnsupportedFields } from '../parsing/unsupported-fields.js';
import { readOpenAiChoice } from '../parsing/read-tool-choice.js';
import { ResponsesRequest } from '../request-schemas.js';
import { bareOthers } from '../tools/left-out.js';
import { servedItems } from './input-messages.js';
import { offerResponsesTools, servedTools } from './responses-tools.js';

const check = createFieldsCheck(ResponsesRequest);

const never = (): boolean => false;
const KEEPS_NOTHING = 'needs answers that are kept, and this server keeps none; send the whole conversation in input';

/** Fields of OpenAI's API that this server lacks. */
const refused: Readonly<Record<string, RefusedField>> = {
  previous_response_id: { harmless: never, why: KEEPS_NOTHING },
  conversation: { harmless: never, why: KEEPS_NOTHING },
  background: { harmless: (value) => value === false, why: 'is not supported; leave it out, and use stream instead' },
  prompt: { harmless: never, why: 'names a prompt that is kept, and there are none; send instructions and input' },
  response_format: { harmless: never, why: 'is of chat completions; send text.format instead' },
  context_management: {
    harmless: (value) => Array.isArray(value) && value.length === 0,
    why: 'is not supported; shorten the input before it is sent',
  },
};

/**
 * A request of the responses API from untrusted JSON. Unknown keys stay; top-level nulls are dropped.
 * Errors, with `details.param` naming the path: `missing_required_parameter`, `invalid_type`, `invalid_value`,
 * `unsupported_parameter`, `unsupported_value`.
 */
export function parseResponsesRequest(value: unknown): ResponsesRequest {
  const fields = spellSeed(withoutOthers(readRequestFields(value)));
  refuseFields(fields, refused);
  refuseUnsupportedFields(fields);
  const request = check(fields);
  readOpenAiChoice(request.tool_choice, offerResponsesTools(request), 'name');
  const { text, truncation } = request;
  checkFormat(text?.format ?? undefined);
  if (truncation === 'auto') {
    throw unsupportedValue('truncation', 'is auto; nothing is left out of an input that is too long: send disabled');
  }
  checkTokenLimit(request.max_output_tokens, 'max_output_tokens');
  checkLogitBias(request.logit_bias);
  readSeed(request.seed);
  checkThinkingFields(request);
  checkTemplateKwargs(request);
  return request;
}

/** Tools and items of other types are left out: they are no reason to refuse the rest. */
function withoutOthers(fields: Record<string, unknown>): Record<string, unknown> {
  const { tools, input } = fields;
  return {
    ...fields,
    ...(tools !== undefined && { tools: bareOthers(tools, (type) => servedTools.includes(type)) }),
    ...(input !== undefined && { input: bareOthers(input, (type) => servedItems.includes(type)) }),
  };
}

function checkFormat(format: TextFormat | undefined): void {
  if (format === undefined) return;
  const { type, schema } = format;
  if (!['text', 'json_object', 'json_schema'].includes(type)) {
    throw invalidField('text.format.type', 'must be text, json_object or json_schema', type);
  }
  if (type === 'json_schema' && schema === undefined) throw missingField('text.format.schema');
}
