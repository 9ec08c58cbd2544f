import {
  MAX_BODY_NODES,
  MAX_BODY_VALUES,
  MAX_REQUEST_DEPTH,
  readRequestFields,
  toRequestError,
} from '../../api/index.js';
import { AppError, describe, parseStrictJson, type JsonObject } from '../../base/index.js';
import type { AnswerFormat, ToolCallRule } from '../../completion/index.js';
import { Compile } from '../../schema/index.js';
import { checkLogitBias } from '../parsing/check-sampling-fields.js';
import { invalidField, missingField } from '../parsing/request-errors.js';
import { toToolChoice } from '../parsing/read-tool-choice.js';
import { checkTemplateKwargs } from '../parsing/parse-chat-request.js';
import { readSeed, spellSeed } from '../parsing/seed.js';
import { GrpcChatRequest, toolModes, type GrpcFormat, type GrpcMessage, type GrpcSampling } from './grpc-request.js';

const validator = Compile(GrpcChatRequest);
const LIMITS = {
  maxDepth: MAX_REQUEST_DEPTH,
  maxItems: MAX_BODY_VALUES,
  maxNodes: MAX_BODY_NODES,
  keepsOrder: true,
};

/**
 * A chat request from the JSON form of its message. Unknown fields stay; top-level nulls are dropped. Errors, with
 * `details.param` naming the path: `missing_required_parameter`, `invalid_type`, `invalid_value`.
 */
export function parseGrpcChatRequest(value: unknown): GrpcChatRequest {
  const fields = readRequestFields(value);
  const request = isFields(fields['sampling']) ? { ...fields, sampling: spellSeed(fields['sampling']) } : fields;
  if (!validator.Check(request)) throw toRequestError(validator.Errors(request), request);
  request.messages.forEach(checkMessage);
  request.tools?.forEach(({ parameters }, index) => readJsonObject(`tools[${index}].parameters`, parameters));
  readGrpcToolChoice(request);
  readGrpcFormat(request.response_format);
  checkTemplateKwargs({
    chat_template_kwargs: { ...readJsonObject('chat_template_kwargs', request.chat_template_kwargs) },
  });
  checkGrpcSampling(request.sampling);
  if ((request.top_logprobs ?? 0) > 0 && request.logprobs !== true) {
    throw invalidField('top_logprobs', 'needs logprobs to be true', request.top_logprobs);
  }
  return request;
}

/** Checks of the sampling beyond the schema. Errors: `invalid_value`. */
export function checkGrpcSampling(sampling: GrpcSampling | undefined): void {
  checkLogitBias(sampling?.logit_bias);
  readSeed(sampling?.seed);
}

function checkMessage({ role, tool_call_id: id }: GrpcMessage, index: number): void {
  if (role === 'tool' && (id ?? '') === '') throw missingField(`messages[${index}].tool_call_id`);
}

/** The tool choice of a request. Errors: `invalid_value`. */
export function readGrpcToolChoice({
  tools = [],
  tool_choice: choice,
}: Pick<GrpcChatRequest, 'tools' | 'tool_choice'>): ToolCallRule | undefined {
  const { mode = toolModes.unspecified, names = [] } = choice ?? {};
  const isRequired = mode === toolModes.required;
  if (mode === toolModes.none || (!isRequired && names.length === 0)) return undefined;
  const named = names.map((name, index) => ({ name, param: `tool_choice.names[${index}]` }));
  return toToolChoice(
    { isRequired, named },
    tools.map(({ name }) => name),
  );
}

/** The required form of the answer. Undefined: any text. Errors: `invalid_value`. */
export function readGrpcFormat(format: GrpcFormat | undefined): AnswerFormat | undefined {
  if (format === undefined) return undefined;
  const { json_object: isJson, json_schema: asked, regex, grammar, choice } = format;
  const given = [isJson, asked, regex, grammar, choice].filter((member) => member !== undefined);
  if (given.length > 1) throw invalidField('response_format', 'has one member at most', given.length);
  if (asked !== undefined) {
    const param = 'response_format.json_schema.schema';
    const schema = readJson(param, asked.schema);
    if (!isFields(schema) && typeof schema !== 'boolean') throw invalidField(param, 'must be a JSON Schema', schema);
    return { kind: 'jsonSchema', schema, isStrict: asked.strict !== false };
  }
  if (regex !== undefined) return { kind: 'regex', pattern: regex };
  if (grammar !== undefined) return { kind: 'gbnf', text: grammar };
  if (choice !== undefined) return { kind: 'choice', options: choice.texts };
  return isJson === true ? { kind: 'json' } : undefined;
}

/** The object that a JSON text in a message is; '' and undefined are none. Errors: `invalid_value`. */
export function readJsonObject(param: string, text: string | undefined): JsonObject | undefined {
  if (text === undefined || text === '') return undefined;
  const value = readJson(param, text);
  if (isFields(value)) return value;
  throw new AppError('invalid_value', `${param} must be the JSON text of an object; it is one of ${describe(value)}`, {
    param,
  });
}

function readJson(param: string, text: string): unknown {
  return parseStrictJson(
    Buffer.from(text),
    LIMITS,
    (why) => new AppError('invalid_value', `${param} must be a JSON text; it ${why}`, { param }),
  );
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
