import { Ollama, type ChatResponse, type Message } from 'ollama';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServing, type Serving } from '../serving.js';

const OSLO: Message[] = [{ role: 'user', content: 'What is the capital of Norway?' }];
const ANSWER = 'The capital of Norway is Oslo.';
const options = { temperature: 0 };
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Get the current weather in a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

let serving: Serving;
let client: Ollama;
beforeAll(async () => {
  serving = await startServing();
  client = new Ollama({ host: serving.url });
});
afterAll(() => serving[Symbol.asyncDispose]());

/** Reads a stream to its end. */
async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const parts: T[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe('the ollama package', () => {
  it('chats, and reads times in nanoseconds that add up', async () => {
    const answer = await client.chat({ model: 'demo', messages: OSLO, options });
    expect(answer.message).toEqual({ role: 'assistant', content: ANSWER });
    expect([answer.done, answer.done_reason, answer.eval_count, answer.prompt_eval_count]).toEqual([
      true,
      'stop',
      8,
      19,
    ]);
    const parts = [answer.load_duration, answer.prompt_eval_duration, answer.eval_duration];
    for (const part of [answer.total_duration, ...parts]) expect(Number.isInteger(part) && part > 0).toBe(true);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeLessThanOrEqual(answer.total_duration);
    expect(Math.abs(new Date(answer.created_at).getTime() - Date.now())).toBeLessThan(60_000);
  });

  it('streams a chat to the same answer', async () => {
    const parts = await collect(await client.chat({ model: 'demo', messages: OSLO, options, stream: true }));
    expect(parts.map(({ message }) => message.content).join('')).toBe(ANSWER);
    expect(parts.filter(({ done }) => done)).toHaveLength(1);
    expect(parts.at(-1)).toMatchObject({ done: true, done_reason: 'stop', eval_count: 8 });
    // Tokens were computed while the first pieces were read already.
    expect(new Set(parts.map(({ created_at: made }) => String(made))).size).toBe(parts.length);
  });

  it('generates, and goes on from the context of an answer', async () => {
    const first = await client.generate({ model: 'demo', prompt: 'What is the capital of Norway?', options });
    expect(first.response).toBe(ANSWER);
    expect(first.context).toHaveLength(first.prompt_eval_count + first.eval_count - 1);
    const stream = await client.generate({
      model: 'demo',
      prompt: 'Tell me a story.',
      context: first.context,
      stream: true,
      options,
    });
    const parts = await collect(stream);
    const last = parts.at(-1);
    expect(last?.prompt_eval_count).toBeGreaterThan(first.context.length);
    expect(last?.context.slice(0, first.context.length)).toEqual(first.context);
    const alone = await client.generate({ model: 'demo', prompt: 'Tell me a story.', options });
    expect(parts.map(({ response }) => response).join('')).not.toBe('');
    expect(last?.context.length).toBeGreaterThan(alone.context.length - alone.eval_count);
  });

  it.each([false, true])('goes round a tool loop, streamed: %s', async (stream) => {
    const messages: Message[] = [{ role: 'user', content: 'Is it warm in Oslo?' }];
    const ask = async (): Promise<Message> => {
      const request = { model: 'demo', messages, tools: TOOLS, options };
      if (!stream) return (await client.chat(request)).message;
      const parts = await collect<ChatResponse>(await client.chat({ ...request, stream: true }));
      const content = parts.map(({ message }) => message.content).join('');
      return { role: 'assistant', content, tool_calls: parts.flatMap(({ message }) => message.tool_calls ?? []) };
    };
    const first = await ask();
    expect(first.tool_calls).toMatchObject([{ function: { name: 'get_weather', arguments: { city: 'Oslo' } } }]);
    messages.push(first, { role: 'tool', tool_name: 'get_weather', content: '{"temperature": 21, "sky": "sunny"}' });
    expect((await ask()).content).toMatch(/21|sunny|warm/i);
  });

  it('thinks where it is asked to, and only then', async () => {
    const messages = [{ role: 'user', content: 'What is 12 + 30?' }];
    const thought = await client.chat({ model: 'demo', messages, think: true, options });
    expect([thought.message.content, thought.message.thinking]).toEqual(['42', expect.stringContaining('12+30')]);
    const straight = await client.chat({ model: 'demo', messages, think: false, options });
    expect(straight.message).toEqual({ role: 'assistant', content: '42' });
  });

  it('gets answers of the form that it asks for, whole and streamed', async () => {
    const format = {
      type: 'object',
      properties: { city: { type: 'string', maxLength: 12 }, warm: { type: 'boolean' } },
      required: ['city', 'warm'],
      additionalProperties: false,
    };
    const messages = [{ role: 'user', content: 'Is it warm in Oslo?' }];
    const request = { model: 'demo', messages, format, options: { ...options, num_predict: 200 } };
    const { message } = await client.chat(request);
    const value = JSON.parse(message.content) as Record<string, unknown>;
    expect(Object.entries(value).map(([key, item]) => [key, typeof item])).toEqual([
      ['city', 'string'],
      ['warm', 'boolean'],
    ]);
    const parts = await collect(await client.chat({ ...request, stream: true }));
    expect(parts.map((part) => part.message.content).join('')).toBe(message.content);
    const number = { type: 'integer', minimum: 0, maximum: 9 };
    const generated = await client.generate({ model: 'demo', prompt: 'What is 2 + 3?', format: number, options });
    expect(generated.response).toMatch(/^\d$/);
  });

  it('lists and shows models, and those that are loaded', async () => {
    await client.chat({ model: 'demo', messages: OSLO, keep_alive: '10m' });
    const { models } = await client.list();
    expect(models).toMatchObject([{ name: 'demo:latest', details: { parameter_size: '2.66M' } }]);
    expect(models[0]?.digest).toMatch(/^[0-9a-f]{64}$/);
    const shown = await client.show({ model: 'demo' });
    expect(shown.capabilities).toEqual(['completion', 'tools', 'thinking', 'embedding']);
    expect(shown.template).toContain('<|im_start|>');
    const [loaded] = (await client.ps()).models;
    expect(loaded).toMatchObject({ name: 'demo:latest', size_vram: 0, digest: models[0]?.digest });
    const leftMs = new Date(String(loaded?.expires_at)).getTime() - Date.now();
    expect(leftMs).toBeGreaterThan(500_000);
    expect(leftMs).toBeLessThan(601_000);
  });

  it('embeds, and cuts what is too long unless it shall not', async () => {
    const { embeddings, prompt_eval_count: count } = await client.embed({ model: 'demo', input: ['hello', 'world'] });
    expect(embeddings.map(({ length }) => length)).toEqual([192, 192]);
    expect(Math.hypot(...(embeddings[0] ?? []))).toBeCloseTo(1, 5);
    expect(count).toBeGreaterThan(1);
    const long = await client.embed({ model: 'demo', input: 'x '.repeat(2000) });
    expect(long.prompt_eval_count).toBe(1024);
    const { embedding } = await client.embeddings({ model: 'demo', prompt: 'hello' });
    const length = Math.hypot(...embedding);
    expect(length).not.toBeCloseTo(1, 2);
    embedding.forEach((value, i) => expect(value / length).toBeCloseTo(embeddings[0]?.[i] ?? NaN, 5));
  });

  it('lets a model go when it is asked to', async () => {
    await client.chat({ model: 'demo', messages: OSLO });
    expect((await client.ps()).models).toHaveLength(1);
    const answer = await client.generate({ model: 'demo', prompt: '', keep_alive: 0 });
    expect(answer.done_reason).toBe('unload');
    await expect.poll(async () => (await client.ps()).models).toEqual([]);
    const loaded = await client.generate({ model: 'demo', prompt: '' });
    expect(loaded.done_reason).toBe('load');
    expect((await client.ps()).models).toHaveLength(1);
  });

  it('aborts, and the engine stops', async () => {
    const stream = await client.chat({
      model: 'demo',
      messages: [{ role: 'user', content: 'Tell me a story.' }],
      stream: true,
    });
    const reading = (async () => {
      for await (const _ of stream) stream.abort();
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    const [model] = serving.host.openModels();
    await expect.poll(async () => model?.client.stats()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('throws the words and the status of an error', async () => {
    await expect(client.chat({ model: 'nobody', messages: OSLO })).rejects.toMatchObject({
      status_code: 404,
      error: "model 'nobody' not found; GET /api/tags lists the models",
    });
    await expect(client.pull({ model: 'llama3' })).rejects.toMatchObject({ status_code: 404 });
  });
});

it('the same request to both APIs gives the same text', async () => {
  const messages = [{ role: 'user', content: 'Tell me a story.' }];
  const sampling = { temperature: 1.3, top_k: 30, top_p: 0.95, seed: 7, repeat_penalty: 1.1 };
  for (const values of [{ ...sampling, temperature: 0 }, sampling]) {
    const { message } = await client.chat({ model: 'demo', messages, options: { ...values, num_predict: 40 } });
    const openai = await serving.post('/v1/chat/completions', { model: 'demo', messages, ...values, max_tokens: 40 });
    const { choices } = (await openai.json()) as { choices: { message: { content: string } }[] };
    expect(message.content).toBe(choices[0]?.message.content);
    expect(message.content.length).toBeGreaterThan(20);
  }
});
