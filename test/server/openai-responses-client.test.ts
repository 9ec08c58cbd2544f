import OpenAI, { APIError, BadRequestError, NotFoundError } from 'openai';
import type {
  FunctionTool,
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInput,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { zodTextFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ResponseObject, ResponsesEvent } from '../../src/api/index.js';
import { startServing, type Serving } from './serving.js';

let serving: Serving;
let client: OpenAI;
beforeAll(async () => {
  serving = await startServing();
  client = new OpenAI({ baseURL: `${serving.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => serving[Symbol.asyncDispose]());

const OSLO = 'What is the capital of Norway?';
const fixed = { model: 'demo', temperature: 0 } as const;
const tool: FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};

// What this server answers has the types of the SDK: a build that passes shows it.
type Known = 'output_text' | 'usage' | 'tool_choice' | 'text' | 'reasoning';
const toSdkResponse = (response: ResponseObject): Omit<Response, Known> => response;
const toSdkEvent = (
  event: Exclude<ResponsesEvent, { response: unknown }>,
): Exclude<ResponseStreamEvent, { response: unknown }> => event;

describe('the openai package, responses', () => {
  it('answers, and says again what was asked', async () => {
    const response = await client.responses.create({
      ...fixed,
      input: OSLO,
      instructions: 'Answer in capital letters.',
      metadata: { trace: 'a1' },
      store: true,
    });
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'demo',
      error: null,
      store: false,
      metadata: { trace: 'a1' },
      instructions: 'Answer in capital letters.',
      temperature: 0,
    });
    expect(response.output_text).toBe('THE CAPITAL OF NORWAY IS OSLO.');
    const { input_tokens: input, output_tokens: output, total_tokens: total } = response.usage ?? {};
    expect(total).toBe((input ?? 0) + (output ?? 0));
    expect(response.id).toMatch(/^resp_/);
    expect([toSdkResponse, toSdkEvent].map(({ length }) => length)).toEqual([1, 1]);
  });

  it('streams the same that it answers whole', async () => {
    const whole = await client.responses.create({ ...fixed, input: OSLO });
    const stream = client.responses.stream({ ...fixed, input: OSLO });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => (text += delta));
    const final = await stream.finalResponse();
    expect([text, final.output_text]).toEqual([whole.output_text, whole.output_text]);
    expect(final.usage?.output_tokens).toBe(whole.usage?.output_tokens);
  });

  it('goes round a loop of tools, with the items of the answer sent back', async () => {
    const input: ResponseInput = [{ role: 'user', content: 'Is it warm in Oslo?' }];
    const first = await client.responses.create({ ...fixed, input, tools: [tool] });
    const [call] = first.output;
    if (call?.type !== 'function_call') throw new Error('no call');
    expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city": "Oslo"}', status: 'completed' });
    input.push(...(first.output as ResponseInput), {
      type: 'function_call_output',
      call_id: call.call_id,
      output: '{"city": "Oslo", "temperature": 21, "sky": "sunny"}',
    });
    const second = await client.responses.create({ ...fixed, input, tools: [tool] });
    expect(second.output_text).toMatch(/21|sunny|warm/i);
  });

  it('streams a call whose pieces make its arguments', async () => {
    const input = 'Is it warm in Oslo?';
    const stream = await client.responses.create({ ...fixed, input, tools: [tool], stream: true });
    const types: string[] = [];
    let pieces = '';
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.function_call_arguments.delta') pieces += event.delta;
    }
    expect(JSON.parse(pieces)).toEqual({ city: 'Oslo' });
    expect(types.at(-1)).toBe('response.completed');
  });

  it('tells reasoning as it is, or as a summary for those who ask for one', async () => {
    const ask = { ...fixed, input: 'Please compute 59+14.' };
    const plain = await client.responses.create({ ...ask, reasoning: { effort: 'high' } });
    const summed = await client.responses.create({ ...ask, reasoning: { effort: 'high', summary: 'auto' } });
    const THOUGHT = '9+4=13, 5+1+1=7. So 59+14=73.';
    expect(plain.output[0]).toMatchObject({ summary: [], content: [{ type: 'reasoning_text', text: THOUGHT }] });
    expect(summed.output[0]).toMatchObject({ summary: [{ type: 'summary_text', text: THOUGHT }] });
    expect([plain.output_text, summed.output_text]).toEqual(['73', '73']);
    expect(plain.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(10);
    const none = await client.responses.create({ ...ask, reasoning: { effort: 'none' } });
    expect(none.output.map(({ type }) => type)).toEqual(['message']);
  });

  it('goes on with reasoning that is sent back', async () => {
    const first = await client.responses.create({
      ...fixed,
      input: 'Please compute 59+14.',
      reasoning: { effort: 'high' },
    });
    const input: ResponseInput = [
      { role: 'user', content: 'Please compute 59+14.' },
      ...(first.output as ResponseInput),
      { role: 'user', content: OSLO },
    ];
    expect((await client.responses.create({ ...fixed, input })).output_text).toContain('Oslo');
  });

  it('ends at its limit as incomplete', async () => {
    const response = await client.responses.create({ ...fixed, input: 'Tell me a story.', max_output_tokens: 5 });
    expect([response.status, response.incomplete_details]).toEqual(['incomplete', { reason: 'max_output_tokens' }]);
    expect(response.output[0]).toMatchObject({ status: 'incomplete' });
    expect(response.usage?.output_tokens).toBe(5);
  });

  it('tells logprobs where they are included', async () => {
    const response = await client.responses.create({
      ...fixed,
      input: OSLO,
      top_logprobs: 2,
      include: ['message.output_text.logprobs'],
    });
    const [item] = response.output;
    const [part] = item?.type === 'message' ? item.content : [];
    if (part?.type !== 'output_text') throw new Error('no text');
    expect(part.logprobs?.map(({ token }) => token).join('')).toBe(part.text);
    expect(part.logprobs?.[0]?.top_logprobs).toHaveLength(2);
  });

  it('parses an answer of the shape that Zod describes', async () => {
    const Forecast = z.object({ city: z.string().max(12), days: z.int().min(1).max(9) });
    const response = await client.responses.parse({
      ...fixed,
      input: 'Is it warm in Oslo?',
      text: { format: zodTextFormat(Forecast, 'forecast') },
      reasoning: { effort: 'none' },
    });
    expect(Forecast.safeParse(response.output_parsed).success).toBe(true);
    expect(response.text?.format).toMatchObject({ type: 'json_schema', name: 'forecast', strict: true });
  });

  it('gets the call that it demands, with arguments of its schema', async () => {
    const parameters = {
      type: 'object',
      properties: { level: { enum: ['low', 'high'] }, on: { type: 'boolean' } },
      required: ['level', 'on'],
      additionalProperties: false,
    };
    const other: FunctionTool = { type: 'function', name: 'set_light', parameters, strict: true };
    const ask = { ...fixed, input: 'hi', tools: [tool, other], max_output_tokens: 60 };
    const choices: ResponseCreateParamsNonStreaming['tool_choice'][] = [
      { type: 'function', name: 'set_light' },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'set_light' }] },
    ];
    for (const choice of choices) {
      const { output } = await client.responses.create({
        ...ask,
        parallel_tool_calls: false,
        ...(choice !== undefined && { tool_choice: choice }),
      });
      const [call] = output;
      if (output.length !== 1 || call?.type !== 'function_call') throw new Error('one call');
      expect(call.name).toBe('set_light');
      const { level, on } = JSON.parse(call.arguments) as { level: unknown; on: unknown };
      expect([['low', 'high'].includes(String(level)), typeof on]).toEqual([true, 'boolean']);
    }
  });

  it('gets the name of the keyword of a schema that cannot be enforced', async () => {
    const format = { type: 'json_schema', name: 'n', schema: { type: 'array', uniqueItems: true } } as const;
    const refused = client.responses.create({ ...fixed, input: 'hi', text: { format } });
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'unsupported_schema', param: 'text.format' });
    await expect(refused).rejects.toThrow('uniqueItems');
  });

  it('throws what is refused, by its field', async () => {
    const refused = client.responses.create({ ...fixed, input: 'hi', previous_response_id: 'resp_1' });
    await expect(refused).rejects.toThrow(BadRequestError);
    await expect(refused).rejects.toMatchObject({ code: 'unsupported_parameter', param: 'previous_response_id' });
    await expect(client.responses.create({ model: 'nobody', input: 'hi' })).rejects.toThrow(NotFoundError);
  });

  it('throws what ends a stream that has begun', async () => {
    await using closing = await startServing();
    const own = new OpenAI({ baseURL: `${closing.url}/v1`, apiKey: 'any', maxRetries: 0 });
    const endless = { ignore_eos: true };
    const stream = await own.responses.create({ ...fixed, ...endless, input: 'hi', stream: true });
    let numEvents = 0;
    const read = async (): Promise<void> => {
      for await (const _ of stream) if (++numEvents === 5) void closing.server.drain(0);
    };
    await expect(read()).rejects.toThrow(APIError);
    expect(numEvents).toBeGreaterThanOrEqual(5);
  });
});
