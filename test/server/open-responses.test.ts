import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResponseObject, ResponsesEvent } from '../../src/api/index.js';
import { readResponsesStream } from '../wire/responses-client.js';
import { readNamedEvents, readPublishedSchemas } from './published-schemas.js';
import { startServing, type Serving } from './serving.js';

// What the seven compliance tests of the Open Responses specification ask of a server. Source:
// github.com/openresponses/openresponses, src/lib/compliance-tests.ts, commit 0cb939ccf839234347b4f0c317569b49fad8fd0e.
let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

const schemas = readPublishedSchemas('open-responses');
const message = (role: string, content: unknown): object => ({ type: 'message', role, content });

const weather = {
  input: [message('user', 'Is it warm in Oslo?')],
  tools: [
    {
      type: 'function',
      name: 'get_weather',
      description: 'Get the current weather in a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
};

async function whole(body: object): Promise<ResponseObject> {
  const answer = await serving.post('/v1/responses', { model: 'demo', ...body, stream: false });
  expect(answer.status).toBe(200);
  const response = (await answer.json()) as ResponseObject;
  expect(schemas.offences('ResponseResource', response)).toEqual([]);
  return response;
}

async function streamed(body: object): Promise<{ events: ResponsesEvent[]; response: ResponseObject }> {
  const events = await readNamedEvents<ResponsesEvent>(
    await serving.post('/v1/responses', { model: 'demo', ...body, stream: true }),
  );
  for (const event of events) expect(schemas.eventOffences(event)).toEqual([]);
  const response = readResponsesStream(events);
  expect(schemas.offences('ResponseResource', response)).toEqual([]);
  return { events, response };
}

describe('the compliance tests of Open Responses', () => {
  it('1: a basic response', async () => {
    const { status, output } = await whole({ input: [message('user', 'Please compute 12+30.')] });
    expect([status, output.length]).toEqual(['completed', 1]);
  });

  it('2: a streamed response', async () => {
    const { events, response } = await streamed({ input: [message('user', 'Please compute 12+30.')] });
    expect(events.length).toBeGreaterThan(7);
    expect(response.status).toBe('completed');
  });

  it('3: a system prompt', async () => {
    const input = [message('system', 'Answer in capital letters.'), message('user', 'What is the capital of Norway?')];
    const { status, output } = await whole({ input, temperature: 0 });
    expect(status).toBe('completed');
    expect(JSON.stringify(output)).toContain('OSLO');
  });

  it('4: a call of a tool', async () => {
    const { output } = await whole({ ...weather, temperature: 0 });
    expect(output.map(({ type }) => type)).toEqual(['function_call']);
  });

  it('5: a streamed call of a tool', async () => {
    const { events } = await streamed({ ...weather, temperature: 0 });
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('6: an image is refused by name: no model here reads one', async () => {
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
    ];
    const answer = await serving.post('/v1/responses', { model: 'demo', input: [message('user', content)] });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'unsupported_value', param: 'input[0].content[1]' } });
  });

  it('7: a conversation of several turns', async () => {
    const input = [
      message('user', 'hi'),
      message('assistant', 'Hello!'),
      message('user', 'What is the capital of Norway?'),
    ];
    const { status, output } = await whole({ input, temperature: 0 });
    expect(status).toBe('completed');
    expect(JSON.stringify(output)).toContain('Oslo');
  });
});
