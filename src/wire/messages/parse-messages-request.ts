import {
  createFieldsCheck,
  MessagesCountRequest,
  readFields,
  withJsonSources,
  type MessagesTool,
} from '../../api/index.js';
import { describe } from '../../base/index.js';
import { checkLogitBias } from '../parsing/check-sampling-fields.js';
import { checkToolName } from '../parsing/check-tool-name.js';
import { checkTemplateKwargs } from '../parsing/parse-chat-request.js';
import { checkThinkingFields } from '../parsing/read-thinking.js';
import { refuseFields, type RefusedField } from '../parsing/refused-fields.js';
import { invalidField, missingField, unsupportedValue } from '../parsing/request-errors.js';
import { readSeed, spellSeed } from '../parsing/seed.js';
import { refuseUnsupportedFields } from '../parsing/unsupported-fields.js';
import { MessagesRequest } from '../request-schemas.js';
import { readToolChoice } from './message-prompt.js';

const check = createFieldsCheck(MessagesRequest);
const checkCount = createFieldsCheck(MessagesCountRequest);

/** What Anthropic's API has and this server does not. */
const refused: Readonly<Record<string, RefusedField>> = {
  mcp_servers: {
    harmless: (value) => Array.isArray(value) && value.length === 0,
    why: 'is not supported: this server calls no others; offer their tools in tools',
  },
  container: { harmless: () => false, why: 'is not supported: no code is run here; leave it out of the request' },
  response_format: { harmless: () => false, why: 'is of chat completions; send output_config.format instead' },
  output_format: { harmless: () => false, why: 'is retired; send output_config.format instead' },
};

/**
 * A request of the messages API from untrusted JSON. Unknown keys stay; top-level nulls are dropped.
 * Errors, with `details.param` naming the path: `missing_required_parameter`, `invalid_type`, `invalid_value`,
 * `unsupported_parameter`, `unsupported_value`.
 */
export function parseMessagesRequest(value: unknown): MessagesRequest {
  const fields = spellSeed(readFields(value));
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
  const fields = readFields(value);
  refuseFields(fields, refused);
  const request = checkCount(fields);
  checkPromptFields(request);
  return withJsonSources(request, sources);
}

function checkPromptFields(request: MessagesCountRequest): void {
  request.tools?.forEach(checkTool);
  const format = request.output_config?.format ?? undefined;
  if (format !== undefined) {
    if (format.type !== 'json_schema')
      throw invalidField('output_config.format.type', 'must be json_schema', format.type);
    if (format.schema === undefined) throw missingField('output_config.format.schema');
  }
  readToolChoice(request);
  checkThinkingFields(request);
  checkTemplateKwargs(request);
}

function checkTool({ type, name, input_schema: schema }: MessagesTool, index: number): void {
  const param = `tools[${index}]`;
  if (typeof type === 'string' && type !== 'custom') {
    throw unsupportedValue(
      `${param}.type`,
      `is ${describe(type, true)}; only tools of the client work, of type "custom"`,
    );
  }
  checkToolName(name, `${param}.name`);
  if (schema === undefined) throw missingField(`${param}.input_schema`);
}
