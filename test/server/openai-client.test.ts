import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import { overTransports } from '../http/over-transports.js';
import { startServing, type Serving } from './serving.js';

const OSLO: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'What is the capital of Norway?' }];
const TOOLS: OpenAI.ChatCompletionFunctionTool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Get the current weather in a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

overTransports('a client', (transport) => {
  let serving: Serving;
  let client: OpenAI;
  beforeAll(async () => {
    serving = await startServing({}, { transport });
    client = new OpenAI({ baseURL: `${serving.url}/v1`, apiKey: 'any', maxRetries: 0 });
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  describe('the openai package', () => {
    it('chats', async () => {
      const { data, request_id: id } = await client.chat.completions
        .create({ model: 'demo', messages: OSLO, temperature: 0 })
        .withResponse();
      expect(data.choices[0]?.message.content).toBe('The capital of Norway is Oslo.');
      expect(data.usage?.completion_tokens).toBe(8);
      expect(id).toMatch(/^[\w-]{16,}$/);
    });

    it('streams, and its helper puts the stream together', async () => {
      const stream = client.chat.completions.stream({
        model: 'demo',
        messages: OSLO,
        temperature: 0,
        stream_options: { include_usage: true },
      });
      const pieces: string[] = [];
      stream.on('content', (piece) => pieces.push(piece));
      const whole = await stream.finalChatCompletion();
      expect(whole.choices[0]?.message.content).toBe('The capital of Norway is Oslo.');
      expect(pieces.join('')).toBe(whole.choices[0]?.message.content);
      expect((await stream.totalUsage()).completion_tokens).toBe(8);
    });

    it('calls tools and gives their answers back', async () => {
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Is it warm in Oslo?' }];
      const asked: unknown[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const { choices } = await client.chat.completions.create({
          model: 'demo',
          messages,
          tools: TOOLS,
          temperature: 0,
        });
        const [choice] = choices;
        if (choice === undefined) break;
        messages.push(choice.message);
        if (choice.finish_reason !== 'tool_calls') break;
        for (const call of choice.message.tool_calls ?? []) {
          if (call.type !== 'function') continue;
          asked.push(JSON.parse(call.function.arguments));
          messages.push({ role: 'tool', tool_call_id: call.id, content: '{"temperature": 21, "sky": "sunny"}' });
        }
      }
      expect(asked).toEqual([{ city: 'Oslo' }]);
      const last = messages.at(-1);
      expect(last).toMatchObject({ role: 'assistant', content: expect.stringMatching(/21|sunny|warm/i) as string });
    });

    it('runs its tool loop over streams', async () => {
      const runner = client.chat.completions.runTools({
        model: 'demo',
        stream: true,
        temperature: 0,
        messages: [{ role: 'user', content: 'Is it warm in Oslo?' }],
        tools: [
          {
            type: 'function',
            function: {
              name: 'get_weather',
              description: 'Get the current weather in a city.',
              parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
              parse: JSON.parse,
              function: ({ city }: { city: string }) => ({ city, temperature: 21, sky: 'sunny' }),
            },
          },
        ],
      });
      expect(await runner.finalFunctionToolCall()).toMatchObject({ name: 'get_weather' });
      expect(await runner.finalContent()).toMatch(/21|sunny|warm/i);
    });

    it('lists and finds models', async () => {
      const ids: string[] = [];
      for await (const model of client.models.list()) ids.push(model.id);
      expect(ids).toEqual(['demo']);
      expect((await client.models.retrieve('demo')).object).toBe('model');
    });

    it('embeds: it asks for base64 by itself and unpacks it', async () => {
      const [packed, floats] = await Promise.all([
        client.embeddings.create({ model: 'demo', input: ['hello', 'world'] }),
        client.embeddings.create({ model: 'demo', input: ['hello', 'world'], encoding_format: 'float' }),
      ]);
      expect(packed.data.map(({ embedding }) => Array.from(embedding))).toEqual(
        floats.data.map(({ embedding }) => embedding),
      );
      expect(packed.data[0]?.embedding).toHaveLength(192);
    });

    it('continues texts with the older API', async () => {
      const whole = await client.completions.create({
        model: 'demo',
        prompt: 'The capital of Norway is',
        temperature: 0,
        max_tokens: 5,
      });
      let text = '';
      const stream = await client.completions.create({
        model: 'demo',
        prompt: 'The capital of Norway is',
        temperature: 0,
        max_tokens: 5,
        stream: true,
      });
      for await (const { choices } of stream) text += choices[0]?.text ?? '';
      expect(text).toBe(whole.choices[0]?.text);
    });

    it('aborts a stream, and the engine stops', async () => {
      const stream = await client.chat.completions.create({ model: 'demo', messages: OSLO, stream: true, n: 8 });
      for await (const _ of stream) {
        stream.controller.abort();
        break;
      }
      const [model] = serving.host.openModels();
      await expect.poll(async () => model?.client.stats()).toMatchObject({ running: 0, waiting: 0 });
    });

    it.each([
      [
        'BadRequestError',
        OpenAI.BadRequestError,
        { model: 'demo', messages: OSLO, temperature: 9 },
        'invalid_value',
        'temperature',
      ],
      ['NotFoundError', OpenAI.NotFoundError, { model: 'nobody', messages: OSLO }, 'model_not_found', 'model'],
    ] as const)('throws its own %s with our code and parameter', async (_, type, request, code, param) => {
      const failed = client.chat.completions.create({ ...request, messages: [...request.messages] });
      await expect(failed).rejects.toBeInstanceOf(type);
      await expect(failed).rejects.toMatchObject({
        code,
        param,
        type: 'invalid_request_error',
        requestID: expect.any(String) as string,
      });
    });

    it('throws InternalServerError when the queue is full, and waits as long as retry-after says before it tries again', async () => {
      await using busy = await startServing({ maxWaiting: 0 }, { transport });
      const held = new AbortController();
      const request = { model: 'demo', messages: OSLO, stream: true, n: 16, ignore_eos: true };
      const filled = Array.from({ length: 4 }, async () =>
        busy.post('/v1/chat/completions', request, { signal: held.signal }),
      );
      expect((await Promise.all(filled)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const impatient = new OpenAI({ baseURL: `${busy.url}/v1`, apiKey: 'any', maxRetries: 0 });
      const failed = impatient.chat.completions.create({ model: 'demo', messages: OSLO });
      await expect(failed).rejects.toBeInstanceOf(OpenAI.InternalServerError);
      await expect(failed).rejects.toMatchObject({ status: 503, code: 'overloaded' });
      const patient = new OpenAI({ baseURL: `${busy.url}/v1`, apiKey: 'any', maxRetries: 2 });
      const start = performance.now();
      const answer = patient.chat.completions.create({ model: 'demo', messages: OSLO, temperature: 0 });
      setTimeout(() => held.abort(), 200);
      expect((await answer).choices[0]?.message.content).toContain('Oslo');
      expect(performance.now() - start).toBeGreaterThan(900);
    });

    it('throws an error that comes in the middle of a stream', async () => {
      const stream = await client.chat.completions.create({
        model: 'demo',
        messages: OSLO,
        stream: true,
        n: 8,
        max_tokens: 900,
      });
      const [model] = serving.host.openModels();
      const reading = (async () => {
        for await (const _ of stream) model?.client.close(new AppError('engine_closed', 'gone'));
      })();
      await expect(reading).rejects.toBeInstanceOf(OpenAI.APIError);
    });
  });
});
