// How clients ask for the shape of an answer and for calls: every spelling, and what is refused.
import { stringifyInOrder } from '../../src/base/index.js';
import { readGrpcFormat } from '../../src/wire/grpc/parse-grpc-request.js';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/index.js';
import type { ChatRequest, CompletionRequest } from '../../src/completion/index.js';
import { dialects } from '../../src/wire/index.js';

const messages = [{ role: 'user', content: 'x' }];
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const tools = ['f', 'g'].map((name) => ({ type: 'function', function: { name } }));

const toRequest = (more: object): CompletionRequest => {
  const { chatCompletions } = dialects;
  return chatCompletions.read({ messages, ...more }).completion;
};

const refusal = (more: object): readonly unknown[] => {
  try {
    toRequest(more);
    return ['accepted'];
  } catch (error) {
    if (isAppError(error)) return [error.code, error.details['param']];
    throw error;
  }
};

describe('formats', () => {
  const held = { kind: 'jsonSchema', schema, isStrict: true };

  it.each([
    [{ response_format: { type: 'json_object' } }, { kind: 'json' }, 'response_format'],
    [{ response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } }, held, 'response_format'],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: null } } },
      held,
      'response_format',
    ],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: false } } },
      { ...held, isStrict: false },
      'response_format',
    ],
    [{ response_format: { type: 'json_schema', schema } }, held, 'response_format'],
    [{ response_format: { type: 'json_object', schema } }, held, 'response_format'],
    [{ json_schema: schema }, held, 'json_schema'],
    [{ guided_json: schema }, held, 'guided_json'],
    [{ guided_json: JSON.stringify(schema) }, held, 'guided_json'],
    [{ guided_regex: 'a+' }, { kind: 'regex', pattern: 'a+' }, 'guided_regex'],
    [{ guided_choice: ['a', 'b'] }, { kind: 'choice', options: ['a', 'b'] }, 'guided_choice'],
    [{ guided_grammar: 'root ::= "a"' }, { kind: 'gbnf', text: 'root ::= "a"' }, 'guided_grammar'],
    [{ grammar: 'root ::= "a"' }, { kind: 'gbnf', text: 'root ::= "a"' }, 'grammar'],
    [{ structured_outputs: { json: schema } }, held, 'structured_outputs.json'],
    [{ structured_outputs: { json_object: true } }, { kind: 'json' }, 'structured_outputs.json_object'],
    [{ structured_outputs: { regex: 'a' } }, { kind: 'regex', pattern: 'a' }, 'structured_outputs.regex'],
    [{ structured_outputs: { choice: ['a'] } }, { kind: 'choice', options: ['a'] }, 'structured_outputs.choice'],
    [
      { structured_outputs: { grammar: 'root ::= "a"' } },
      { kind: 'gbnf', text: 'root ::= "a"' },
      'structured_outputs.grammar',
    ],
  ])('%j', (more, format, field) => {
    const chat = toRequest(more);
    expect([chat.format, chat.fields.format]).toEqual([format, field]);
    const { textCompletions } = dialects;
    const text = textCompletions.read({ prompt: 'x', ...more }).completion;
    expect([text.format, text.fields.format]).toEqual([format, field]);
  });

  it.each([{ response_format: { type: 'text' } }, { response_format: null }, { grammar: '' }, {}])(
    'is none: %j',
    (more) => {
      expect(toRequest(more).format).toBeUndefined();
    },
  );

  it.each([
    ['unsupported_value', 'response_format.type', { response_format: { type: 'xml' } }],
    ['missing_required_parameter', 'response_format.json_schema.schema', { response_format: { type: 'json_schema' } }],
    [
      'invalid_value',
      'response_format.json_schema.name',
      { response_format: { type: 'json_schema', json_schema: { name: 'a b', schema } } },
    ],
    ['invalid_value', 'guided_json', { guided_json: '{' }],
    ['invalid_value', 'guided_json', { guided_json: '[1]' }],
    ['invalid_value', 'guided_choice', { guided_choice: [] }],
    ['invalid_type', 'guided_regex', { guided_regex: 7 }],
    ['invalid_value', 'guided_regex', { guided_regex: 'a', response_format: { type: 'json_object' } }],
    ['invalid_value', 'structured_outputs.choice', { structured_outputs: { regex: 'a', choice: ['a'] } }],
  ])('refuses with %s at %s', (code, param, more) => {
    expect(refusal(more)).toEqual([code, param]);
  });
});

describe('tool choice', () => {
  const allowed = (mode: string | undefined, ...names: string[]): object => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: names.map((name) => ({ type: 'function', function: { name } })) },
  });

  it.each([
    ['required', { isRequired: true }],
    [
      { type: 'function', function: { name: 'g' } },
      { isRequired: true, names: ['g'] },
    ],
    [
      { type: 'function', name: 'g' },
      { isRequired: true, names: ['g'] },
    ],
    [allowed('required', 'f', 'g', 'f'), { isRequired: true, names: ['f', 'g'] }],
    [allowed('auto', 'f'), { isRequired: false, names: ['f'] }],
    [allowed(undefined, 'f'), { isRequired: false, names: ['f'] }],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
      { isRequired: true, names: ['f'] },
    ],
    [
      { type: 'custom', custom: { name: 'f' } },
      { isRequired: true, names: ['f'] },
    ],
    ['auto', undefined],
    ['none', undefined],
    [undefined, undefined],
  ])('%j', (choice, expected) => {
    expect((toRequest({ tools, tool_choice: choice }) as ChatRequest).toolChoice).toEqual(expected);
  });

  it.each([
    ['invalid_value', 'tool_choice', 'maybe'],
    ['invalid_value', 'tool_choice.custom.name', { type: 'custom', custom: { name: 'none' } }],
    ['unsupported_value', 'tool_choice.type', { type: 'web_search' }],
    ['unsupported_value', 'tool_choice.type', {}],
    ['invalid_value', 'tool_choice.function.name', { type: 'function', function: { name: 'h' } }],
    ['missing_required_parameter', 'tool_choice.function.name', { type: 'function' }],
    ['invalid_value', 'tool_choice.function.name', { type: 'function', function: { name: 7 } }],
    ['invalid_value', 'tool_choice.allowed_tools.mode', allowed('any', 'f')],
    ['invalid_value', 'tool_choice.allowed_tools.tools', allowed('auto')],
    ['invalid_value', 'tool_choice.allowed_tools.tools[1].function.name', allowed('auto', 'f', 'h')],
  ])('refuses with %s at %s', (code, param, choice) => {
    expect(refusal({ tools, tool_choice: choice })).toEqual([code, param]);
  });

  it('refuses a call where no tools are offered', () => {
    expect(refusal({ tool_choice: 'required' })).toEqual(['invalid_value', 'tool_choice']);
    expect(refusal({ tools: [], tool_choice: 'required' })).toEqual(['invalid_value', 'tool_choice']);
  });
});

it('the schema of a message of gRPC keeps the order of its names', () => {
  const text = '{"properties":{"10":{},"2":{},"__proto__":{"type":"null"},"1":{}}}';
  const format = readGrpcFormat({ json_schema: { name: 'x', schema: text } });
  expect(stringifyInOrder(format ?? {})).toContain(`"schema":${text}`);
});
