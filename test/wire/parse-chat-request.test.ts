import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_REQUEST_DEPTH, MAX_MESSAGES } from '../../src/api/index.js';
import { parseChatCompletionRequest } from '../../src/wire/parsing/parse-chat-request.js';
import { AppError } from '../../src/base/index.js';

const user = { role: 'user', content: 'hello' };
const withUser = (fields: object): object => ({ messages: [user], ...fields });

function refusal(request: unknown): [string, unknown] {
  try {
    parseChatCompletionRequest(request);
  } catch (error) {
    if (error instanceof AppError) return [error.code, error.details['param']];
    throw error;
  }
  return ['accepted', undefined];
}

describe('parseChatCompletionRequest', () => {
  it('takes the smallest request and every field that works', () => {
    expect(parseChatCompletionRequest({ messages: [user] })).toEqual({ messages: [user] });
    const all = {
      model: 'demo',
      stream: true,
      messages: [{ role: 'developer', content: [{ type: 'text', text: 'a' }] }, user],
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: 'none',
      max_tokens: 5,
      max_completion_tokens: 6,
      temperature: 0,
      top_p: 0,
      top_k: -1,
      min_p: 0.1,
      seed: -(2 ** 53 - 1),
      stop: ['a', 'b', 'c', 'd', 'e', 'f'],
      stream_options: { include_usage: true },
      enable_thinking: true,
      chat_template_kwargs: { enable_thinking: false, anything: [1] },
      thinking: { type: 'enabled' },
    };
    expect(parseChatCompletionRequest(all)).toEqual(all);
  });

  it('reads a null field as an absent one', () => {
    const nulls = {
      temperature: null,
      stop: null,
      tools: null,
      n: null,
      logprobs: null,
      response_format: null,
      thinking: null,
    };
    expect(parseChatCompletionRequest(withUser(nulls))).toEqual({ messages: [user] });
  });

  it('lets an assistant message with tool calls have no content', () => {
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    const answer = { role: 'tool', tool_call_id: 'a', content: '1' };
    expect(refusal({ messages: [user, call, answer] })[0]).toBe('accepted');
  });

  it('understands retired function calls in messages, and refuses their fields by the name of what took their place', () => {
    const call = { role: 'assistant', content: null, function_call: { name: 'f', arguments: null } };
    const answer = { role: 'function', name: 'f', content: '1' };
    expect(refusal({ messages: [user, call, answer] })[0]).toBe('accepted');
    expect(refusal({ messages: [user, { ...call, function_call: null }] })[0]).toBe('missing_required_parameter');
    expect(refusal({ messages: [user, { ...call, tool_calls: [{ function: { name: 'f' } }] }] })).toEqual([
      'invalid_value',
      'messages[1].function_call',
    ]);
    const fields = { functions: [{ name: 'f' }], function_call: { name: 'f' } };
    for (const [field, instead] of Object.entries({ functions: 'tools', function_call: 'tool_choice' })) {
      const asked = withUser({ [field]: fields[field as keyof typeof fields] });
      expect(refusal(asked)).toEqual(['unsupported_parameter', field]);
      expect(() => parseChatCompletionRequest(asked)).toThrow(`${field} is retired; send ${instead}`);
    }
    expect(refusal(withUser({ functions: [], function_call: 'auto' }))[0]).toBe('accepted');
  });

  it('takes calls whose arguments are empty, null or left out', () => {
    for (const made of [{ arguments: '' }, { arguments: null }, {}]) {
      const call = { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', ...made } }] };
      expect(refusal({ messages: [user, call] })[0]).toBe('accepted');
    }
    const call = { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: { a: 1 } } }] };
    expect(refusal({ messages: [user, call] })).toEqual([
      'invalid_type',
      'messages[1].tool_calls[0].function.arguments',
    ]);
  });

  it.each([
    ['missing_required_parameter', 'messages', {}],
    ['invalid_type', null, []],
    ['invalid_type', null, 'text'],
    ['invalid_value', 'messages', { messages: [] }],
    ['invalid_value', 'messages', { messages: Array.from({ length: MAX_MESSAGES + 1 }, () => user) }],
    ['invalid_type', 'messages', { messages: 'hi' }],
    ['missing_required_parameter', 'messages[0].role', { messages: [{ content: 'x' }] }],
    ['invalid_value', 'messages[1].role', { messages: [user, { role: 'asistant', content: 'x' }] }],
    ['missing_required_parameter', 'messages[0].content', { messages: [{ role: 'user' }] }],
    ['missing_required_parameter', 'messages[0].content', { messages: [{ role: 'assistant', content: null }] }],
    ['invalid_type', 'messages[0].content', { messages: [{ role: 'user', content: 5 }] }],
    ['missing_required_parameter', 'messages[0].content[0].type', { messages: [{ role: 'user', content: [{}] }] }],
    [
      'missing_required_parameter',
      'messages[0].content[0].text',
      { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    ],
    [
      'unsupported_value',
      'messages[0].content[1]',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'image_url', image_url: 'x' },
            ],
          },
        ],
      },
    ],
    [
      'unsupported_value',
      'messages[0].content[0]',
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
    ],
    ['missing_required_parameter', 'messages[0].tool_call_id', { messages: [{ role: 'tool', content: 'x' }] }],
    ['invalid_value', 'temperature', withUser({ temperature: 2.0001 })],
    ['invalid_type', 'temperature', withUser({ temperature: '0.7' })],
    ['invalid_type', 'temperature', withUser({ temperature: Number.NaN })],
    ['invalid_value', 'top_p', withUser({ top_p: -0.1 })],
    ['invalid_value', 'top_k', withUser({ top_k: -2 })],
    ['invalid_value', 'max_tokens', withUser({ max_tokens: 0 })],
    ['invalid_type', 'max_tokens', withUser({ max_tokens: 1.5 })],
    ['invalid_value', 'max_completion_tokens', withUser({ max_completion_tokens: -2 })],
    ['invalid_value', 'seed', withUser({ seed: 2 ** 53 })],
    ['invalid_type', 'stream', withUser({ stream: 'true' })],
    ['invalid_value', 'stop', withUser({ stop: Array.from({ length: 17 }, (_, i) => `s${i}`) })],
    ['invalid_value', 'stop[0]', withUser({ stop: [''] })],
    ['invalid_type', 'stop', withUser({ stop: 7 })],
    ['missing_required_parameter', 'tools[0].custom', withUser({ tools: [{ type: 'custom' }] })],
    ['missing_required_parameter', 'tools[0].function', withUser({ tools: [{ type: 'function' }] })],
    [
      'invalid_value',
      'tools[0].function.name',
      withUser({ tools: [{ type: 'function', function: { name: 'x'.repeat(129) } }] }),
    ],
    [
      'invalid_value',
      'tools',
      withUser({ tools: Array.from({ length: 513 }, () => ({ type: 'function', function: { name: 'f' } })) }),
    ],
    ['invalid_value', 'tool_choice', withUser({ tool_choice: 'required' })],
    ['invalid_value', 'tool_choice', withUser({ tool_choice: { type: 'function', function: { name: 'f' } } })],
    ['invalid_value', 'tool_choice', withUser({ tool_choice: 'maybe' })],
    ['invalid_value', 'thinking.type', withUser({ thinking: { type: 'on' } })],
    ['invalid_type', 'chat_template_kwargs', withUser({ chat_template_kwargs: 'x' })],
    [
      'invalid_type',
      'chat_template_kwargs.enable_thinking',
      withUser({ chat_template_kwargs: { enable_thinking: 'yes' } }),
    ],
  ])('refuses with %s at %s', (code, param, request) => {
    expect(refusal(request)).toEqual([code, param]);
  });

  it('refuses known fields that would change the answer, unless they ask for nothing', () => {
    const asks: [string, unknown, unknown][] = [
      ['mirostat', 2, 0],
      ['top_n_sigma', 1.5, -1],
      ['dynatemp_range', 0.5, 0],
      ['bad_words', ['so'], []],
      ['allowed_token_ids', [1, 2], null],
      ['modalities', ['text', 'audio'], ['text']],
    ];
    for (const [field, asked, nothing] of asks) {
      expect(refusal(withUser({ [field]: asked }))).toEqual(['unsupported_parameter', field]);
      expect(refusal(withUser({ [field]: nothing }))[0]).toBe('accepted');
    }
  });

  it('ignores bookkeeping and unknown fields', () => {
    const fields = {
      store: true,
      metadata: { a: 'b' },
      user: 'u',
      service_tier: 'auto',
      never_heard_of: { deep: [1] },
    };
    expect(refusal(withUser(fields))[0]).toBe('accepted');
  });

  it('refuses nesting past its limit without overflowing the stack', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(refusal(withUser({ chat_template_kwargs: { deep } }))[0]).toBe('invalid_value');
    let shallow: unknown = 1;
    for (let i = 0; i < MAX_REQUEST_DEPTH - 2; i++) shallow = [shallow];
    expect(refusal(withUser({ chat_template_kwargs: { shallow } }))[0]).toBe('accepted');
  });

  it('never repeats text of a prompt in a message', () => {
    const secret = 'the launch code is 1234';
    const requests = [
      { messages: secret },
      { messages: [{ role: secret, content: 'x' }] },
      { messages: [{ role: 'user', content: [{ type: secret }] }] },
      withUser({ temperature: secret }),
      withUser({ tool_choice: secret }),
    ];
    for (const request of requests) {
      expect(() => parseChatCompletionRequest(request)).toThrow(AppError);
      expect(() => parseChatCompletionRequest(request)).not.toThrow(/launch/);
    }
  });

  it('answers any JSON with a request or an AppError', () => {
    const field = fc.constantFrom(
      'messages',
      'tools',
      'stop',
      'temperature',
      'thinking',
      'tool_choice',
      'response_format',
      'structured_outputs',
      'guided_choice',
      'json_schema',
      'chat_template_kwargs',
      'n',
    );
    fc.assert(
      fc.property(fc.dictionary(field, fc.jsonValue()), (request) => {
        expect([
          'accepted',
          'invalid_type',
          'invalid_value',
          'missing_required_parameter',
          'unsupported_parameter',
          'unsupported_value',
        ]).toContain(refusal(request)[0]);
      }),
    );
  });
});
