import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatCompletion, ChatCompletionChunk } from '../../src/api/index.js';
import { type ChatCompletionRequest, createEngine, type Engine, type Model } from '../../src/index.js';
import { assemble } from './chunk-order.js';
import { offencesOf } from './openai-schemas.js';
import { overTransports } from '../http/over-transports.js';
import { readChunks, readEvents, startServing, type Serving } from './serving.js';

const OSLO = 'What is the capital of Norway?';
const user = (content: string): ChatCompletionRequest['messages'] => [{ role: 'user', content }];
const tool = (name: string, property: string): NonNullable<ChatCompletionRequest['tools']>[number] => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] },
  },
});
const TOOLS = [tool('get_time', 'city'), tool('get_weather', 'city')];

/** Requests of every kind, each with what it must come to. */
const requests: readonly (readonly [string, Omit<ChatCompletionRequest, 'model'>, string])[] = [
  ['an answer', { messages: user(OSLO), temperature: 0 }, 'stop'],
  ['an answer that is drawn', { messages: user('Tell me a story.'), seed: 11, max_tokens: 60 }, 'length'],
  ['thinking', { messages: user('Please compute 59+14.'), temperature: 0, enable_thinking: true }, 'stop'],
  [
    'thinking with a budget',
    { messages: user('Please compute 59+14.'), temperature: 0, thinking: { type: 'enabled', budget_tokens: 4 } },
    'stop',
  ],
  [
    'thinking cut short',
    { messages: user('Please compute 59+14.'), temperature: 0, enable_thinking: true, max_tokens: 3 },
    'length',
  ],
  ['a call', { messages: user('Is it warm in Oslo?'), temperature: 0, tools: TOOLS }, 'tool_calls'],
  ['tools that are forbidden', { messages: user(OSLO), temperature: 0, tools: TOOLS, tool_choice: 'none' }, 'stop'],
  ['a stop string', { messages: user(OSLO), temperature: 0, stop: ' is' }, 'stop'],
  [
    'a stop string that is kept',
    { messages: user(OSLO), temperature: 0, stop: ' is', include_stop_str_in_output: true },
    'stop',
  ],
  ['four choices', { messages: user('Tell me a story.'), n: 4, seed: 3, max_tokens: 24 }, 'length'],
  ['logprobs', { messages: user(OSLO), temperature: 0, logprobs: true, top_logprobs: 3 }, 'stop'],
  [
    'content parts',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is the capital ' },
            { type: 'text', text: 'of Norway?' },
          ],
        },
      ],
      temperature: 0,
    },
    'stop',
  ],
  [
    'penalties and a bias',
    {
      messages: user('Tell me a story.'),
      seed: 5,
      max_tokens: 30,
      frequency_penalty: 1,
      presence_penalty: 0.5,
      logit_bias: { 30: -100 },
    },
    'length',
  ],
];

overTransports('conversations', (transport) => {
  let serving: Serving;
  let engine: Engine;
  let library: Model;
  beforeAll(async () => {
    serving = await startServing({}, { transport });
    engine = await createEngine({ threads: 1 });
    library = await engine.load('demo');
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await serving[Symbol.asyncDispose]();
  });

  async function ask(request: object): Promise<ChatCompletion> {
    const response = await serving.post('/v1/chat/completions', { model: 'demo', ...request });
    expect(response.status).toBe(200);
    return (await response.json()) as ChatCompletion;
  }

  async function stream(request: object): Promise<ChatCompletionChunk[]> {
    const response = await serving.post('/v1/chat/completions', { model: 'demo', stream: true, ...request });
    expect(response.status).toBe(200);
    return readChunks<ChatCompletionChunk>(response);
  }

  /** What a choice says, without the ids of its calls, which are drawn anew each time. */
  function saidOf({ message, finish_reason: finishReason }: ChatCompletion['choices'][number]): object {
    const calls = (message.tool_calls ?? []).map((call) => call.function);
    return { content: message.content ?? '', reasoning: message.reasoning_content ?? '', calls, finishReason };
  }

  describe('POST /v1/chat/completions', () => {
    it.each(requests)('answers %s alike as a stream, whole, and through the library', async (_, request, reason) => {
      const whole = await ask(request);
      const said = whole.choices.map(saidOf);
      expect(offencesOf('CreateChatCompletionResponse', whole)).toEqual([]);
      expect(whole.choices.some(({ finish_reason: finish }) => finish === reason)).toBe(true);

      const { choices, usage } = assemble(
        await stream({ ...request, stream_options: { include_usage: true } }),
        request.n ?? 1,
      );
      const streamed = choices.map(({ calls, ...rest }) => ({
        ...rest,
        calls: calls.map(({ name, arguments: text }) => ({ name, arguments: text })),
      }));
      expect(streamed).toEqual(said);
      // What is cached depends on who asked before.
      const { prompt_tokens_details: _cached, ...counts } = whole.usage;
      expect(usage).toMatchObject(counts);

      const embedded = await library.chat({ ...request, model: 'demo' });
      expect(embedded.choices.map(saidOf)).toEqual(said);
      expect(embedded.choices.map(({ logprobs }) => logprobs)).toEqual(whole.choices.map(({ logprobs }) => logprobs));
    });

    it('tells usage only where it was asked for, and then null in every other chunk', async () => {
      const request = { messages: user(OSLO), temperature: 0 };
      expect((await stream(request)).every((chunk) => !('usage' in chunk))).toBe(true);
      const chunks = await stream({ ...request, stream_options: { include_usage: true } });
      expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
      const { usage } = chunks.at(-1) ?? {};
      expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    });

    it('answers twenty different requests at once as it answers each alone', async () => {
      const all = Array.from({ length: 20 }, (_, i) => ({
        messages: user(`What is ${10 + i} + ${3 * i}?`),
        seed: i,
        temperature: i % 2,
      }));
      const together = await Promise.all(all.map(async (request) => assemble(await stream(request)).choices[0]));
      for (const [i, request] of all.entries()) {
        expect(together[i]?.content).toBe((await ask(request)).choices[0]?.message.content);
      }
    });

    it('never splits a character: its bytes are held back until it is whole', async () => {
      // A bias leaves only the two bytes of é to be drawn, so that characters are cut and broken between tokens.
      const ids = library.tokenizer.encode('é');
      const bytes = ids.map((id) => [...library.tokenizer.tokenBytes(id)]);
      expect(bytes).toEqual([[0xc3], [0xa9]]);
      const bias = Object.fromEntries(ids.map((id) => [id, 100]));
      for (const seed of [1, 2, 3]) {
        const request = { messages: user('é'), seed, temperature: 2, max_tokens: 60, logit_bias: bias };
        const whole = (await ask(request)).choices[0]?.message.content ?? '';
        expect(whole).toMatch(/é/);
        const response = await serving.post('/v1/chat/completions', { model: 'demo', stream: true, ...request });
        const raw = new Uint8Array(await response.arrayBuffer());
        const text = new TextDecoder('utf-8', { fatal: true }).decode(raw);
        const chunks = await readChunks<ChatCompletionChunk>(new Response(text));
        const pieces = chunks.map(({ choices }) => choices[0]?.delta.content ?? '');
        expect(pieces.join('')).toBe(whole);
        expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      }
    });

    it('names what clients rely on in its headers, and decides by the body alone whether to stream', async () => {
      const request = { model: 'demo', messages: user(OSLO), stream: true };
      const response = await serving.post('/v1/chat/completions', request, {
        headers: { accept: 'application/json', 'x-request-id': 'mine_1' },
      });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
        'x-accel-buffering': 'no',
        'x-request-id': 'mine_1',
      });
      expect((await readEvents(response)).at(-1)).toBe('[DONE]');
      const whole = await serving.post('/v1/chat/completions', { ...request, stream: false });
      expect(whole.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(whole.headers.get('x-request-id')).toMatch(/^[\w-]{16,}$/);
    });

    it('logs one line a request, with counts and without its text', async () => {
      const before = serving.log.length;
      await stream({ messages: user('Tell me a story.'), max_tokens: 5 });
      await expect.poll(() => serving.log.length).toBe(before + 1);
      const { time, id, ms, first_token_ms: first, ...rest } = serving.log.at(-1) ?? {};
      expect(rest).toEqual({
        event: 'request',
        method: 'POST',
        route: '/v1/chat/completions',
        status: 200,
        model: 'demo',
        stream: true,
        prompt_tokens: expect.any(Number) as number,
        completion_tokens: 5,
      });
      expect([typeof time, typeof id, typeof ms, typeof first]).toEqual(['string', 'string', 'number', 'number']);
      expect(JSON.stringify(serving.log)).not.toMatch(/story|Norway|Oslo/);
    });
  });

  /** Runs `work` for all items, `width` at a time. */
  async function inTurns<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
    const left = items.values();
    const run = async (): Promise<void> => {
      for (const item of left) await work(item);
    };
    await Promise.all(Array.from({ length: width }, run));
  }

  // The engine computes these; what carries them is tried above.
  if (transport === 'uws') return;
  describe('what is computed of a request', () => {
    it('gives the first of n choices what it gives alone, and others to the others', async () => {
      const request = { messages: user('Tell me a story.'), seed: 8, max_tokens: 40 };
      const [alone, many, again] = await Promise.all([
        ask(request),
        ask({ ...request, n: 3 }),
        ask({ ...request, n: 3 }),
      ]);
      const texts = many.choices.map(({ message }) => message.content);
      expect(texts[0]).toBe(alone.choices[0]?.message.content);
      expect(new Set(texts).size).toBe(3);
      expect(again.choices.map(({ message }) => message.content)).toEqual(texts);
      expect(many.usage.prompt_tokens).toBe(alone.usage.prompt_tokens);
    });

    it('draws another answer each time for the seed -1 and none, and the same for the same 64 bits', async () => {
      const request = { messages: user('Tell me a story.'), max_tokens: 60, temperature: 1.2 };
      const told = async (seed: unknown): Promise<string | null | undefined> => {
        const body = JSON.stringify({ model: 'demo', ...request }).replace(/}$/, `,"seed":${String(seed)}}`);
        const answer = (await (await serving.post('/v1/chat/completions', Buffer.from(body))).json()) as ChatCompletion;
        return answer.choices[0]?.message.content;
      };
      for (const seed of [-1, null, '"-1"'])
        expect(new Set([await told(seed), await told(seed), await told(seed)]).size).toBe(3);
      const even = '18446744073709551614';
      const stories = [await told(even), await told('18446744073709551615'), await told('9007199254740993')];
      expect(new Set([...stories, await told('9007199254740992')]).size).toBe(4);
      expect(await told(even)).toBe(stories[0]);
      expect(await told(`"${even}"`)).toBe(stories[0]);
      const embedded = await library.chat({ ...request, seed: BigInt(even) });
      expect(embedded.choices[0]?.message.content).toBe(stories[0]);
    });

    it('goes on to the end of the text for max_tokens -1', async () => {
      const whole = await ask({ messages: user(OSLO), temperature: 0 });
      for (const field of ['max_tokens', 'max_completion_tokens', 'n_predict']) {
        const answer = await ask({ messages: user(OSLO), temperature: 0, [field]: -1 });
        expect(answer.choices[0]).toEqual(whole.choices[0]);
      }
    });

    it('keeps what was computed under one cache_salt from requests with another, and says the salt nowhere', async () => {
      const prompt = 'This is one long question, as it were, of some words and more: ' + OSLO;
      const cachedWith = async (fields: object): Promise<number | undefined> =>
        (await ask({ messages: user(prompt), temperature: 0, max_tokens: 4, ...fields })).usage.prompt_tokens_details
          .cached_tokens;
      await cachedWith({});
      const common = await cachedWith({});
      expect(common).toBeGreaterThan(32);
      for (const salt of ['tenant-one-secret', 'tenant-two-secret']) {
        expect(await cachedWith({ cache_salt: salt })).toBe(0);
        expect(await cachedWith({ cache_salt: salt })).toBe(common);
      }
      expect(await cachedWith({ cache_salt: null })).toBe(common);
      const wrong = await serving.post('/v1/chat/completions', {
        model: 'demo',
        messages: user('a'),
        cache_salt: 'x'.repeat(257),
      });
      expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { param: 'cache_salt' } }]);
      expect(JSON.stringify(serving.log)).not.toMatch(/tenant|xxx/);
    });

    it('ends at a stop string wherever it begins and ends in the tokens, streamed or not', async () => {
      const text = (await ask({ messages: user(OSLO), temperature: 0 })).choices[0]?.message.content ?? '';
      expect(text).toBe('The capital of Norway is Oslo.');
      const stops = new Set<string>();
      for (let start = 0; start < text.length; start++) {
        for (let length = 1; length <= 6 && start + length <= text.length; length++)
          stops.add(text.slice(start, start + length));
      }
      expect(stops.size).toBeGreaterThan(120);
      await inTurns([...stops], 8, async (stop) => {
        const request = { messages: user(OSLO), temperature: 0, stop: [stop] };
        const expected = text.slice(0, text.indexOf(stop));
        const { choices } = assemble(await stream(request));
        expect([stop, choices[0]?.content, choices[0]?.finishReason]).toEqual([stop, expected, 'stop']);
        expect([stop, (await ask(request)).choices[0]?.message.content]).toEqual([stop, expected]);
      });
    });

    it('ignores what never changes an answer, and null', async () => {
      const plain = await ask({ messages: user(OSLO), temperature: 0 });
      const decorated = await ask({
        messages: user(OSLO),
        temperature: 0,
        store: true,
        metadata: { a: 'b' },
        user: 'me',
        service_tier: 'auto',
        verbosity: 'low',
        keep_alive: '5m',
        something_new: { nested: [1] },
        stop: null,
        seed: null,
        response_format: { type: 'text' },
      });
      expect(decorated.choices).toEqual(plain.choices);
    });
  });
});
