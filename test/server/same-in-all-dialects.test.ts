import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatCompletion, MessageAnswer, ResponseObject } from '../../src/api/index.js';
import { clients } from '../wire/clients.js';
import type { ReadChoice } from '../wire/wire-client.js';
import { startServing, type Serving } from './serving.js';

// One request in three dialects is one prompt, and so one answer at temperature 0.
let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

interface Asked {
  readonly chat: object;
  readonly responses: object;
  readonly messages: object;
}

const parameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'A city' }, days: { type: 'integer', maximum: 10 } },
  required: ['city'],
};
const told = { name: 'get_weather', description: 'Get the current weather in a city.' };
const chatTools = [{ type: 'function', function: { ...told, parameters } }];
const responsesTools = [{ type: 'function', ...told, parameters, strict: false }];
const messagesTools = [{ ...told, input_schema: parameters }];
const WEATHER = 'Is it warm in Oslo?';
const RESULT = '{"city": "Oslo", "temperature": 21, "sky": "sunny"}';
const ARGUMENTS = '{"city": "Oslo"}';

const requests: Readonly<Record<string, Asked>> = {
  'a question': {
    chat: { messages: [{ role: 'user', content: 'What is the capital of Norway?' }] },
    responses: { input: 'What is the capital of Norway?' },
    messages: { messages: [{ role: 'user', content: 'What is the capital of Norway?' }] },
  },
  'a system prompt and earlier turns': {
    chat: {
      messages: [
        { role: 'system', content: 'Answer in capital letters.' },
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'HELLO' },
        { role: 'user', content: [{ type: 'text', text: 'What is the capital of Norway?' }] },
      ],
    },
    responses: {
      instructions: 'Answer in capital letters.',
      input: [
        { role: 'user', content: 'hi' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'HELLO', annotations: [] }] },
        { role: 'user', content: [{ type: 'input_text', text: 'What is the capital of Norway?' }] },
      ],
    },
    messages: {
      system: [{ type: 'text', text: 'Answer in capital letters.' }],
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'text', text: 'HELLO' }] },
        { role: 'user', content: [{ type: 'text', text: 'What is the capital of Norway?' }] },
      ],
    },
  },
  'a tool': {
    chat: { messages: [{ role: 'user', content: WEATHER }], tools: chatTools },
    responses: { input: WEATHER, tools: responsesTools },
    messages: { messages: [{ role: 'user', content: WEATHER }], tools: messagesTools },
  },
  'a tool that was called': {
    chat: {
      messages: [
        { role: 'user', content: WEATHER },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: ARGUMENTS } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: RESULT },
      ],
      tools: chatTools,
    },
    responses: {
      input: [
        { role: 'user', content: WEATHER },
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: ARGUMENTS },
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: RESULT }] },
      ],
      tools: responsesTools,
    },
    messages: {
      messages: [
        { role: 'user', content: WEATHER },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Oslo' } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: RESULT }] }],
        },
      ],
      tools: messagesTools,
    },
  },
  thinking: {
    chat: { messages: [{ role: 'user', content: 'Please compute 59+14.' }], thinking: { type: 'enabled' } },
    responses: { input: 'Please compute 59+14.', thinking: { type: 'enabled' } },
    messages: { messages: [{ role: 'user', content: 'Please compute 59+14.' }], thinking: { type: 'enabled' } },
  },
  'a seed and the samplers of local servers': {
    chat: {
      messages: [{ role: 'user', content: 'Tell me a story.' }],
      temperature: 0.9,
      seed: 7,
      top_k: 40,
      min_p: 0.01,
    },
    responses: { input: 'Tell me a story.', temperature: 0.9, seed: 7, top_k: 40, min_p: 0.01 },
    messages: {
      messages: [{ role: 'user', content: 'Tell me a story.' }],
      temperature: 0.9,
      seed: 7,
      top_k: 40,
      min_p: 0.01,
    },
  },
};

describe.each(Object.entries(requests))('%s', (_, asked) => {
  const fixed = { model: 'demo', temperature: 0 };

  it('is answered the same in all dialects, for the same tokens', async () => {
    const bodies = [
      { path: '/v1/chat/completions', dialect: 'chatCompletions', body: { max_tokens: 100, ...asked.chat } },
      { path: '/v1/responses', dialect: 'responses', body: { max_output_tokens: 100, ...asked.responses } },
      { path: '/v1/messages', dialect: 'messages', body: { max_tokens: 100, ...asked.messages } },
    ] as const;
    const answers = await Promise.all(
      bodies.map(async ({ path, dialect, body }) => {
        const answer = await serving.post(path, { ...fixed, ...body });
        expect(answer.status).toBe(200);
        const whole = (await answer.json()) as ChatCompletion | ResponseObject | MessageAnswer;
        const { choices, usage } = clients[dialect].readWhole(whole);
        return { said: choices.map(withoutWire), prompt: usage?.promptTokens, completion: usage?.completionTokens };
      }),
    );
    const [first] = answers;
    expect(answers).toEqual(answers.map(() => first));
    expect(JSON.stringify(first?.said).length).toBeGreaterThan(20);
  });
});

/** What a choice says, without ids, spaces of arguments, and the wire's word for its end. */
function withoutWire({ content, reasoning, calls }: ReadChoice): object {
  return {
    content,
    reasoning,
    calls: calls.map(({ name, argumentsText }) => ({ name, arguments: JSON.parse(argumentsText) as unknown })),
  };
}
