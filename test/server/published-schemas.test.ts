import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessagesEvent, ResponseObject, ResponsesEvent } from '../../src/api/index.js';
import { readMessagesStream } from '../wire/messages-client.js';
import { readResponsesStream } from '../wire/responses-client.js';
import { readNamedEvents, readPublishedSchemas } from './published-schemas.js';
import { startServing, type Serving } from './serving.js';

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

const WEATHER = 'Is it warm in Oslo?';
const COMPUTE = 'Please compute 59+14.';
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const told = { name: 'get_weather', description: 'Get the current weather in a city.' };

const openai = readPublishedSchemas('openai');
const openResponses = readPublishedSchemas('open-responses');
const anthropic = readPublishedSchemas('anthropic');

const responses: Readonly<Record<string, object>> = {
  'a text': { input: 'What is the capital of Norway?' },
  'a text with its tokens': { input: WEATHER, include: ['message.output_text.logprobs'], top_logprobs: 2 },
  'an answer at its limit': { input: 'Tell me a story.', max_output_tokens: 3 },
  'a call of a tool': { input: WEATHER, tools: [{ type: 'function', ...told, parameters, strict: null }] },
  'a call that stays unused': { input: WEATHER, tools: [{ type: 'function', ...told }], tool_choice: 'none' },
  'reasoning as it is': { input: COMPUTE, reasoning: { effort: 'high' } },
  'reasoning once more, sealed': {
    input: COMPUTE,
    reasoning: { effort: 'high' },
    include: ['reasoning.encrypted_content'],
  },
  'reasoning as a summary': { input: COMPUTE, reasoning: { effort: 'high', summary: 'auto' } },
  'all that is said again': {
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    instructions: 'Answer in capital letters.',
    max_output_tokens: 20,
    metadata: { a: 'b' },
    parallel_tool_calls: false,
    prompt_cache_key: 'k',
    safety_identifier: 's',
    text: { format: { type: 'text' }, verbosity: 'low' },
    top_p: 0.9,
    truncation: 'disabled',
    user: 'u',
  },
};

describe.each(Object.entries(responses))('of responses, %s', (_, asked) => {
  const body = { model: 'demo', temperature: 0, ...asked };

  it('is a Response of OpenAI and of Open Responses', async () => {
    const answer = await serving.post('/v1/responses', body);
    expect(answer.status).toBe(200);
    const response: unknown = await answer.json();
    expect(openai.offences('Response', response)).toEqual([]);
    expect(openResponses.offences('ResponseResource', response)).toEqual([]);
  });

  it('streams events of both, in their order, that end with the same answer', async () => {
    const whole = (await (await serving.post('/v1/responses', body)).json()) as ResponseObject;
    const events = await readNamedEvents<ResponsesEvent>(
      await serving.post('/v1/responses', { ...body, stream: true }),
    );
    for (const event of events) {
      expect(openai.eventOffences(withoutNullUsage(event))).toEqual([]);
      expect(openResponses.eventOffences(event)).toEqual([]);
    }
    const saying = ({ output }: ResponseObject): unknown =>
      output.map((item) => ({ ...item, id: '', ...('call_id' in item && { call_id: '' }) }));
    expect(saying(readResponsesStream(events))).toEqual(saying(whole));
  });
});

/** OpenAI's schema leaves the usage out of an answer in progress; its API and Open Responses have null there. */
function withoutNullUsage(event: ResponsesEvent): ResponsesEvent {
  if (!('response' in event) || event.response.usage !== null) return event;
  const { usage: _usage, ...response } = event.response;
  return { ...event, response: response as ResponseObject };
}

const messages: Readonly<Record<string, object>> = {
  'a text': { messages: [{ role: 'user', content: 'What is the capital of Norway?' }] },
  'an answer at its limit': { messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: 3 },
  'an answer at a stop sequence': { messages: [{ role: 'user', content: WEATHER }], stop_sequences: ['e'] },
  'a call of a tool': {
    messages: [{ role: 'user', content: WEATHER }],
    tools: [{ ...told, input_schema: parameters }],
  },
  thinking: { messages: [{ role: 'user', content: COMPUTE }], thinking: { type: 'enabled', budget_tokens: 90 } },
};

describe.each(Object.entries(messages))('of messages, %s', (_, asked) => {
  const body = { model: 'demo', temperature: 0, max_tokens: 100, ...asked };

  it('is a Message of Anthropic', async () => {
    const answer = await serving.post('/v1/messages', body);
    expect(answer.status).toBe(200);
    expect(anthropic.offences('Message', await answer.json())).toEqual([]);
  });

  it('streams events of Anthropic, in their order, that make the same message', async () => {
    const whole = (await (await serving.post('/v1/messages', body)).json()) as { content: object[] };
    const events = await readNamedEvents<MessagesEvent>(await serving.post('/v1/messages', { ...body, stream: true }));
    for (const event of events) expect(anthropic.eventOffences(event)).toEqual([]);
    const saying = (content: readonly object[]): unknown =>
      content.map((block) => ({ ...block, ...('id' in block && { id: '' }) }));
    expect(saying(readMessagesStream(events).content)).toEqual(saying(whole.content));
  });
});

it('the checks refuse what is wrong', () => {
  const event = { type: 'response.output_text.delta', sequence_number: 0, item_id: 'i', output_index: 0 };
  expect(openai.eventOffences(event)).not.toEqual([]);
  expect(openResponses.eventOffences({ ...event, type: 'response.nothing' })).not.toEqual([]);
  expect(openai.offences('Response', { id: 'resp_1' })).not.toEqual([]);
  expect(anthropic.offences('Message', { id: 'msg_1' })).not.toEqual([]);
});
