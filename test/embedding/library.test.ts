import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type ChatCompletionChunk, type Engine, type Model } from '../../src/index.js';

const OSLO = { messages: [{ role: 'user' as const, content: 'What is the capital of Norway?' }], temperature: 0 };
const IDS = Array.from({ length: 40 }, (_, i) => (i * 37) % 1500);

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function textOf(chunks: readonly ChatCompletionChunk[]): string {
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
}

describe('an engine in its caller’s thread', () => {
  it('hands on the first token before it makes the second', async () => {
    await using engine = await createEngine({ placement: 'inline' });
    const model = await engine.load('demo');
    const request = { promptTokenIds: Uint32Array.from(IDS), maxTokens: 20, temperature: 0, caller: 'test' };
    for (let round = 0; round < 3; round++) {
      // Right after another, whose prompt is cached: a step is shorter than the time after which the engine lets others run anyway.
      await collect(model.generate(request));
      const ids = model.generate(request)[Symbol.asyncIterator]();
      await ids.next();
      let hasSecond = false;
      const second = ids.next().then(() => (hasSecond = true));
      for (let turn = 0; turn < 100; turn++) await Promise.resolve();
      expect(hasSecond).toBe(false);
      await second;
      await ids.return?.();
    }
  });
});

describe.each(['threads', 'inline'] as const)('the library, placement %s', (placement) => {
  let engine: Engine;
  let model: Model;

  beforeAll(async () => {
    engine = await createEngine({ placement });
    model = await engine.load('demo');
  });

  afterAll(async () => engine[Symbol.asyncDispose]());

  it('answers, streamed and whole alike', async () => {
    const whole = await model.chat(OSLO);
    expect(whole.choices[0]?.message.content).toContain('Oslo');
    expect(whole.choices[0]?.finish_reason).toBe('stop');
    const chunks = await collect(model.stream({ ...OSLO, stream_options: { include_usage: true } }));
    expect(textOf(chunks)).toBe(whole.choices[0]?.message.content);
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
  });

  it('draws by a seed of 64 bits, and anew for -1 and none', async () => {
    const told = async (seed?: number | bigint): Promise<string> => {
      const request = { promptTokenIds: IDS, maxTokens: 24, temperature: 1.5, ignoreStop: true };
      return (await collect(model.generate({ ...request, ...(seed !== undefined && { seed }) }))).join();
    };
    const most = 2n ** 64n - 1n;
    expect(await told(most)).toBe(await told(most));
    const seeds = [most, most - 1n, 2n ** 53n, 2n ** 53n + 1n, 0n, 1n, -1, -1, -1n, undefined, undefined];
    const texts = [];
    for (const seed of seeds) texts.push(await told(seed));
    expect(new Set(texts).size).toBe(seeds.length);
    expect(await told(5)).toBe(await told(5n));
    for (const seed of [2 ** 53, 2n ** 64n, 1.5]) {
      await expect(told(seed)).rejects.toMatchObject({
        code: 'invalid_value',
        message: expect.stringContaining('seed'),
      });
    }
  });

  it('shares cached prefixes within a cache salt only, of tokens, conversations and embeddings', async () => {
    const promptTokenIds = Array.from({ length: 70 }, (_, i) => (i * 41 + 5) % 1500);
    const cached = async (cacheSalt?: string): Promise<number | undefined> => {
      const request = { promptTokenIds, maxTokens: 2, temperature: 0, ignoreStop: true };
      const outputs = model.generateOutputs({ ...request, ...(cacheSalt !== undefined && { cacheSalt }) });
      return (await collect(outputs))[0]?.cachedTokens;
    };
    expect([await cached('a'), await cached('a'), await cached('b'), await cached(), await cached()]).toEqual([
      0, 64, 0, 0, 64,
    ]);
    // What is computed for a vector is not lent to others either.
    const text =
      'What are the capitals of Norway, of Denmark, of Sweden and of Finland, and of no other country? '.repeat(3);
    await model.embed(text, { cacheSalt: 'c' });
    const of = async (salt?: string): Promise<number | undefined> => {
      const outputs = model.generateOutputs({
        promptTokenIds: model.tokenizer.encode(text),
        maxTokens: 1,
        ...(salt !== undefined && { cacheSalt: salt }),
      });
      return (await collect(outputs))[0]?.cachedTokens;
    };
    expect([await of(), await of('d'), await of('c')]).toEqual([0, 0, expect.toSatisfy((count) => count >= 32)]);
    for (const cacheSalt of ['', 'x'.repeat(257)]) {
      const refused = { code: 'invalid_value', message: expect.stringMatching(/^cacheSalt must[^x]+$/) };
      await expect(cached(cacheSalt)).rejects.toMatchObject(refused);
      await expect(model.embed('a', { cacheSalt })).rejects.toMatchObject(refused);
    }
  });

  it('gives twenty conversations at once the answers that they have alone', async () => {
    const requests = Array.from({ length: 20 }, (_, i) => ({
      messages: [{ role: 'user' as const, content: `What is ${10 + i} + ${3 * i}?` }],
      seed: i,
      temperature: i % 2,
    }));
    const together = await Promise.all(requests.map(async (request) => model.chat(request)));
    for (const [i, request] of requests.entries()) {
      expect((await model.chat(request)).choices[0]?.message).toEqual(together[i]?.choices[0]?.message);
    }
  });

  it('gives the same tokens for the same seed, others for another', async () => {
    const generate = async (seed: number): Promise<number[]> =>
      collect(model.generate({ promptTokenIds: IDS, maxTokens: 30, seed, ignoreStop: true }));
    expect(await generate(1)).toEqual(await generate(1));
    expect(await generate(1)).not.toEqual(await generate(2));
  });

  it('takes any array of numbers and scores each token', async () => {
    const logits = await model.forward(Int32Array.from(IDS));
    expect(logits).toHaveLength(IDS.length * model.vocabSize);
    expect(await model.forward(IDS)).toEqual(logits);
  });

  it('renders and encodes what chat would be given', async () => {
    const text = await model.renderChat(OSLO.messages, { addGenerationPrompt: true, enableThinking: true });
    expect(text).toBe('<|im_start|>user\nWhat is the capital of Norway?<|im_end|>\n<|im_start|>assistant\n<think>\n');
    expect(model.tokenizer.decode(model.tokenizer.encode(text))).toBe(text);
  });

  it.each([
    ['{"user_id":2512292042121000001,"10":1e3,"2":1.0}', '{"user_id": 2512292042121000001, "10": 1e3, "2": 1.0}'],
    ['', '{}'],
    [' ', '{}'],
    [null, '{}'],
    [String.raw`{"re":"\d"}`, String.raw`{"re": "\\d"}`],
  ])('renders the arguments %j of an earlier call as %s', async (given, written) => {
    const text = await model.renderChat([
      ...OSLO.messages,
      { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'f', arguments: given } }] },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'assistant', content: null, function_call: { name: 'g', arguments: given } },
      { role: 'function', name: 'g', content: '2' },
    ]);
    for (const name of ['f', 'g']) {
      expect(text).toContain(`<tool_call>\n{"name": "${name}", "arguments": ${written}}\n</tool_call>`);
    }
    for (const result of ['1', '2']) expect(text).toContain(`<tool_response>\n${result}\n</tool_response>`);
  });

  it('answers with the names of a schema that is a text in their order', async () => {
    const names = ['10', '2', '__proto__', '1'];
    const properties = names.map((name) => `"${name}":{"enum":[0]}`).join(',');
    const guided_json = `{"type":"object","properties":{${properties}},"required":${JSON.stringify(names)}}`;
    const { choices } = await model.chat({ ...OSLO, guided_json, temperature: 0, max_tokens: 200 });
    const text = choices[0]?.message.content ?? '';
    expect(Array.from(text.matchAll(/"([^"]+)"\s*:/g), ([, name]) => name).slice(0, names.length)).toEqual(names);
  });

  it('rejects with the reason of an abort, before and in the middle', async () => {
    const reason = new Error('enough');
    await expect(model.chat(OSLO, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const story = { messages: [{ role: 'user' as const, content: 'Tell me a story.' }] };
    const reading = (async () => {
      for await (const _ of model.stream(story, { signal: controller.signal })) controller.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    const request = { promptTokenIds: IDS, maxTokens: 900, ignoreStop: true };
    const generating = (async () => {
      for await (const _ of model.generate(request, { signal: AbortSignal.timeout(20) }));
    })();
    await expect(generating).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it.each<readonly [string, unknown]>([
    ['3', 3],
    ['a controller', new AbortController()],
  ])('refuses %s as a signal', async (_, wrong) => {
    const signal = wrong as AbortSignal;
    const refused = { code: 'invalid_option', message: expect.stringContaining('signal') as string };
    await expect(model.chat(OSLO, { signal })).rejects.toMatchObject(refused);
    await expect(engine.load('demo', { signal })).rejects.toMatchObject(refused);
    await expect(model.forward([1], { signal })).rejects.toMatchObject(refused);
  });

  it('lets a stream be left early and goes on', async () => {
    for await (const _ of model.stream(OSLO)) break;
    for await (const _ of model.generate({ promptTokenIds: IDS, maxTokens: 100, ignoreStop: true })) break;
    expect((await model.chat(OSLO)).choices[0]?.message.content).toContain('Oslo');
  });

  it('ends with length at max_tokens, and at the context whatever max_tokens says', async () => {
    const short = await model.chat({ ...OSLO, max_tokens: 2 });
    expect(short.choices[0]?.finish_reason).toBe('length');
    expect(short.usage.completion_tokens).toBe(2);
    const promptTokenIds = Array.from({ length: 1000 }, (_, i) => i % 1500);
    const tokens = await collect(model.generate({ promptTokenIds, maxTokens: 100_000, ignoreStop: true }));
    expect(tokens).toHaveLength(24);
    const large = await model.chat({ ...OSLO, max_tokens: 1_000_000 });
    expect(large.choices[0]?.finish_reason).toBe('stop');
  });

  it.each([
    ['a prompt that fills the context', { content: 'one two three '.repeat(600) }, 'context_length_exceeded'],
    ['a picture', { content: [{ type: 'image_url', image_url: { url: 'x' } }] }, 'unsupported_value'],
    ['no role', { role: 'nobody' }, 'invalid_value'],
  ])('refuses %s', async (_, change, code) => {
    const messages = [{ ...OSLO.messages[0], ...change }] as never;
    await expect(model.chat({ messages })).rejects.toMatchObject({ code });
    await expect(collect(model.stream({ messages }))).rejects.toMatchObject({ code });
  });

  it.each([
    [{ promptTokenIds: [] }, 'invalid_value'],
    [{ promptTokenIds: [1536] }, 'invalid_value'],
    [{ promptTokenIds: [-1] }, 'invalid_value'],
    [{ promptTokenIds: [0.5] }, 'invalid_value'],
    [{ maxTokens: 0 }, 'invalid_value'],
    [{ temperature: -1 }, 'invalid_value'],
    [{ topP: 2 }, 'invalid_value'],
    [{ seed: 0.5 }, 'invalid_value'],
    [{ promptTokenIds: Array.from({ length: 1024 }, () => 1) }, 'context_length_exceeded'],
  ])('refuses to generate with %j', async (change, code) => {
    const request = { promptTokenIds: IDS, maxTokens: 5, ...change };
    await expect(collect(model.generate(request))).rejects.toMatchObject({ code });
  });

  it('shows its tree and that it is ready', () => {
    expect(engine.ready).toBe(true);
    const ids = JSON.stringify(engine.tree());
    for (const id of ['model:demo', 'engine', 'tokenizer', 'template']) expect(ids).toContain(`"${id}"`);
  });
});

describe('createEngine', () => {
  it.each([
    [{ threads: 0 }, 'invalid_option'],
    [{ threads: 1.5 }, 'invalid_option'],
    [{ kernel: 'fast' }, 'invalid_option'],
    [{ placement: 'elsewhere' }, 'invalid_option'],
    [{ kvCache: 'q2' }, 'invalid_option'],
    [{ backend: 'abacus' }, 'invalid_option'],
    [{ memoryBudgetBytes: 8 }, 'invalid_option'],
    [{ memoryBudgetBytes: 1.5e9 + 0.5 }, 'invalid_option'],
    [{ memoryBudgetBytes: Infinity }, 'invalid_option'],
    [{ backend: 'cuda:1' }, 'backend_unavailable'],
    [{ backend: 'metal' }, 'backend_unavailable'],
  ])('refuses %j', async (options, code) => {
    await expect(createEngine(options as never)).rejects.toMatchObject({ code });
  });

  it('lets two engines live in one process, with other kernels and another cache', async () => {
    await using first = await createEngine({ threads: 1 });
    await using second = await createEngine({ kernel: 'portable', kvCache: 'f32' });
    const models = await Promise.all([first.load('demo'), second.load('demo'), first.load('demo')]);
    const answers = await Promise.all(models.map(async (model) => model.chat(OSLO)));
    for (const answer of answers) expect(answer.choices[0]?.message.content).toContain('Oslo');
    await models[2]?.[Symbol.asyncDispose]();
    expect((await models[0]?.chat(OSLO))?.choices[0]?.message.content).toContain('Oslo');
  });

  it('ends what is under way when it is disposed of, and refuses what comes after', async () => {
    const engine = await createEngine({ threads: 1 });
    const model = await engine.load('demo');
    const pending = collect(model.generate({ promptTokenIds: IDS, maxTokens: 900, ignoreStop: true }));
    const settled = expect(pending).rejects.toMatchObject({ code: 'engine_closed' });
    await engine[Symbol.asyncDispose]();
    await settled;
    const closed = { code: 'engine_closed' };
    await expect(model.chat(OSLO)).rejects.toMatchObject(closed);
    await expect(model.renderChat(OSLO.messages)).rejects.toMatchObject(closed);
    await expect(collect(model.stream(OSLO))).rejects.toMatchObject(closed);
    await expect(model.forward(IDS)).rejects.toMatchObject(closed);
    await expect(engine.load('demo')).rejects.toMatchObject({ code: 'engine_closed' });
    expect(engine.ready).toBe(false);
  });

  it('names a model that is not there', async () => {
    await using engine = await createEngine({ modelsDir: '/nonexistent' });
    await expect(engine.load('nobody')).rejects.toMatchObject({ code: 'artifact_not_found' });
  });
});
