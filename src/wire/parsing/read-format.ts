import type { FormatFields, ResponseFormat } from '../../api/index.js';
import { AppError, describe, parseInOrder, type JsonObject } from '../../base/index.js';
import type { AnswerFormat } from '../../completion/index.js';

/** A format, and the field that asked for it. */
export interface AskedFormat {
  readonly format: AnswerFormat;
  readonly field: string;
}

/** OpenAI's rule for the name of a schema. */
const NAME = /^[\w-]{1,64}$/;

/**
 * The required form of the answer, in any dialect's words. `own`: the field of its dialect alone. Undefined: any text.
 * Errors: `invalid_value`, also for two formats at once; `unsupported_value`, `missing_required_parameter`.
 */
export function readFormat(request: FormatFields, own?: AskedFormat): AskedFormat | undefined {
  const { response_format: asked, structured_outputs: outputs = {} } = request;
  const found: AskedFormat[] = own === undefined ? [] : [own];
  const add = (field: string, format: AnswerFormat | undefined): void => {
    if (format !== undefined) found.push({ field, format });
  };
  if (asked !== undefined) add('response_format', readResponseFormat(asked));
  for (const [field, schema] of [
    ['json_schema', request.json_schema],
    ['guided_json', request.guided_json],
    ['structured_outputs.json', outputs.json ?? undefined],
  ] as const) {
    if (schema !== undefined) add(field, { kind: 'jsonSchema', schema: toSchema(schema, field), isStrict: true });
  }
  if (outputs.json_object === true) add('structured_outputs.json_object', { kind: 'json' });
  for (const [field, text] of [
    ['grammar', request.grammar],
    ['guided_grammar', request.guided_grammar],
    ['structured_outputs.grammar', outputs.grammar ?? undefined],
  ] as const) {
    // llama.cpp's clients send an empty grammar for none.
    if (text !== undefined && text !== '') add(field, { kind: 'gbnf', text });
  }
  for (const [field, pattern] of [
    ['guided_regex', request.guided_regex],
    ['structured_outputs.regex', outputs.regex ?? undefined],
  ] as const) {
    if (pattern !== undefined) add(field, { kind: 'regex', pattern });
  }
  for (const [field, options] of [
    ['guided_choice', request.guided_choice],
    ['structured_outputs.choice', outputs.choice ?? undefined],
  ] as const) {
    if (options !== undefined) add(field, { kind: 'choice', options });
  }
  const [first, second] = found;
  if (second === undefined) return first;
  throw invalid(
    second.field,
    `${second.field} stands beside ${first?.field}; an answer has one format: send one of them`,
  );
}

function readResponseFormat(asked: ResponseFormat): AnswerFormat | undefined {
  const field = 'response_format';
  switch (asked.type) {
    case 'text':
      return undefined;
    case 'json_object':
      if (asked.schema === undefined) return { kind: 'json' };
      return { kind: 'jsonSchema', schema: asked.schema, isStrict: true };
    case 'json_schema': {
      const { name, schema = asked.schema, strict } = asked.json_schema ?? {};
      if (schema === undefined) {
        const param = `${field}.json_schema.schema`;
        throw new AppError('missing_required_parameter', `${param} is required and is missing`, { param });
      }
      if (name !== undefined && !NAME.test(name)) {
        const param = `${field}.json_schema.name`;
        throw invalid(param, `${param} must be 1 to 64 letters, digits, _ or -; it is ${describe(name)}`);
      }
      return { kind: 'jsonSchema', schema, isStrict: strict !== false };
    }
    default: {
      const known = 'text, json_object and json_schema work';
      const param = `${field}.type`;
      throw new AppError('unsupported_value', `${param} is ${describe(asked.type, true)}; ${known}`, { param });
    }
  }
}

function toSchema(value: JsonObject | boolean | string, field: string): JsonObject | boolean {
  if (typeof value !== 'string') return value;
  let parsed: unknown;
  try {
    parsed = parseInOrder(value);
  } catch {
    throw invalid(field, `${field} is a text that is no JSON; send the schema as an object`);
  }
  if (typeof parsed === 'boolean' || (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))) {
    return parsed as JsonObject | boolean;
  }
  throw invalid(field, `${field} must be a JSON Schema, which is an object or a boolean; it is ${describe(parsed)}`);
}

function invalid(param: string, message: string): AppError {
  return new AppError('invalid_value', message, { param });
}
