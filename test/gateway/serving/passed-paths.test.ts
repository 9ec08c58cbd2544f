// Paths that the file lists, and APIs that only some runtimes have: what their answers tell is counted, and limits hold.
import { expect, it } from 'vitest';
import { overTransports } from '../../http/over-transports.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { makeKey, runtimeAt, startGateway } from './start-gateway.js';
import { fieldOf, lastOf, openEvents, startRuntime, whole, type Play } from './runtime.js';
import { chatBody, type FileParts, SOON } from '../../support/start-product.js';

const JSON_TYPE = 'application/json';
const LINES = 'application/x-ndjson';
const EVENTS = 'text/event-stream';
const usage = (prompt: number, completion: number): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
});

/** An answer as it comes from a runtime: of lines of JSON, of events, or whole. */
function play(type: string, ...values: readonly object[]): Play {
  const texts = values.map((value) => JSON.stringify(value));
  const body =
    type === EVENTS
      ? texts.map((text) => `data: ${text}\n\n`).join('')
      : texts.map((text) => (type === LINES ? `${text}\n` : text)).join('');
  return (_, socket) => void socket.write(whole(body, 200, [`Content-Type: ${type}`]));
}

const told = { model: 'up', done: true, prompt_eval_count: 26, eval_count: 298 };
const FORMS: readonly (readonly [path: string, how: string, play: Play, prompt: number, completion: number])[] = [
  ['/api/chat', 'a stream', play(LINES, { message: { content: 'a' } }, { message: { content: 'b' } }, told), 26, 298],
  ['/api/chat', 'whole', play(JSON_TYPE, { message: { content: 'a b' }, ...told }), 26, 298],
  ['/api/generate', 'a stream', play(LINES, { response: 'a', done: false }, { response: '', ...told }), 26, 298],
  ['/api/generate', 'whole', play(JSON_TYPE, { response: 'a b', ...told }), 26, 298],
  ['/api/embed', 'whole', play(JSON_TYPE, { embeddings: [[1]], prompt_eval_count: 5 }), 5, 0],
  ['/completion', 'whole', play(JSON_TYPE, { content: 'a', tokens_evaluated: 7, tokens_predicted: 3 }), 7, 3],
  [
    '/completion',
    'a stream',
    play(EVENTS, { content: 'a' }, { content: '', tokens_evaluated: 7, tokens_predicted: 3 }),
    7,
    3,
  ],
  ['/own/v1/chat/completions', 'whole', play(JSON_TYPE, { choices: [], usage: usage(4, 2) }), 4, 2],
  ['/other', 'whole', play(JSON_TYPE, { anything: 1, usage: usage(4, 2) }), 4, 2],
  ['/other', 'a stream', play(EVENTS, { anything: 1 }, { usage: usage(4, 2) }), 4, 2],
];

overTransports('a passed path', (transport) => {
  it.each(FORMS)('%s, %s, counts what its answer tells', async (path, _, answer, promptTokens, completionTokens) => {
    await using runtime = await startRuntime(answer);
    const key = makeKey();
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry], passthrough: [path] };
    await using gateway = await startGateway(parts, { transport });
    const body = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }] });
    expect((await ask(gateway.port, 'POST', path, body, undefined, key.headers)).status).toBe(200);
    await expect.poll(() => gateway.lines.length, SOON).toBe(1);
    const [row] = gateway.meter.requests({ limit: 1, keyId: 'vk_a' });
    expect(row).toMatchObject({ promptTokens, completionTokens, isEstimated: false });
  });

  it.each([
    ['tokens', { tokens: 1_000, window: 'day' }],
    ['money', { amount: '1.00', currency: 'EUR', window: 'day' }],
  ])('is refused once a budget of %s is used', async (_, budget) => {
    await using runtime = await startRuntime(play(LINES, { message: { content: 'a' } }, { ...told, eval_count: 974 }));
    const key = makeKey('vk_a', { limits: { budget } });
    const price = { input_per_million: '1000', output_per_million: '1000', currency: 'EUR' };
    const models = [{ id: 'demo', targets: [{ runtime: 'r', model: 'up' }], price }];
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry], models, passthrough: ['/api/chat'] };
    await using gateway = await startGateway(parts, { transport });
    const send = (): Promise<Received> => ask(gateway.port, 'POST', '/api/chat', chatBody(), undefined, key.headers);
    expect((await send()).status).toBe(200);
    await expect.poll(() => gateway.lines.length, SOON).toBe(1);
    const refused = await send();
    // In Ollama's words.
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.body.toString())).toEqual({
      error: expect.stringContaining('the budget of this key') as string,
    });
    // Scans of other suites may ask it too.
    expect(runtime.asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it.each([
    ['a stream', LINES, /"a"\}\}\n\{"error":"the answer was cut, since a budget[^\n]*\n$/, 200],
    ['whole', JSON_TYPE, /^\{"error":"the answer was cut, since a budget/, 429],
  ] as const)(
    'that ends %s where a budget ends says so, and has the budget charged',
    async (_, type, words, status) => {
      const large = { ...told, eval_count: 5_000 };
      await using runtime = await startRuntime(async (__, socket) => {
        if (type === JSON_TYPE)
          return void socket.write(whole(JSON.stringify({ message: { content: 'a' }, ...large })));
        const events = openEvents(socket, LINES);
        events.write(`${JSON.stringify({ message: { content: 'a' } })}\n`);
        await new Promise((resolve) => setTimeout(resolve, 100));
        events.write(`${JSON.stringify(large)}\n`);
      });
      const key = makeKey('vk_a', { limits: { budget: { tokens: 1_000, window: 'day' } } });
      const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry], passthrough: ['/api/chat'] };
      await using gateway = await startGateway(parts, { transport });
      const got = await ask(gateway.port, 'POST', '/api/chat', chatBody(), undefined, key.headers);
      expect([got.status, got.isBroken]).toEqual([status, false]);
      expect(got.body.toString()).toMatch(words);
      await expect.poll(() => gateway.lines.length, SOON).toBe(1);
      expect(gateway.meter.usageOf('vk_a').budgets[0]?.used).toBeGreaterThanOrEqual(26n);
    },
  );

  it.each(['/tokenize', '/v1/responses/input_tokens', '/proxy/v1/messages/count_tokens'])(
    '%s costs nothing, since no model computes it',
    async (path) => {
      await using runtime = await startRuntime(play(JSON_TYPE, { input_tokens: 1_200, tokens: [1, 2] }));
      const key = makeKey('vk_a', { limits: { budget: { tokens: 10, window: 'day' } } });
      const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry], passthrough: [path] };
      await using gateway = await startGateway(parts, { transport });
      const body = chatBody({ messages: [{ role: 'user', content: 'lorem ipsum '.repeat(400) }] });
      for (let i = 0; i < 3; i++) {
        expect((await ask(gateway.port, 'POST', path, body, undefined, key.headers)).status).toBe(200);
      }
      await expect.poll(() => gateway.lines.length, SOON).toBe(3);
      const rows = gateway.meter.requests({ limit: 9, keyId: 'vk_a' });
      const nothing = { promptTokens: 0, completionTokens: 0, isEstimated: false };
      expect(rows).toMatchObject([nothing, nothing, nothing]);
    },
  );
});

overTransports('an API that some runtimes have', (transport) => {
  it('counts tokens of Messages for nothing, with its query, its credential and its words of errors', async () => {
    await using runtime = await startRuntime(play(JSON_TYPE, { input_tokens: 1_200 }));
    const key = makeKey('vk_a', { limits: { budget: { tokens: 10, window: 'day' } } });
    const runtimes = [runtimeAt(runtime.url, { api_key: { env: 'RUNTIME_KEY' } })];
    await using gateway = await startGateway({ runtimes, virtual_keys: [key.entry] }, { transport });
    const path = '/v1/messages/count_tokens?beta=true';
    const headers = { 'x-api-key': key.secret, 'anthropic-version': '2023-06-01' };
    const body = chatBody({ messages: [{ role: 'user', content: 'lorem ipsum '.repeat(400) }] });
    const got = await ask(gateway.port, 'POST', path, body, undefined, headers);
    expect([got.status, got.body.toString()]).toEqual([200, '{"input_tokens":1200}']);
    const asked = lastOf(runtime);
    expect([asked.target, fieldOf(asked, 'x-api-key')]).toEqual([
      path,
      'secret of {"from":"env","name":"RUNTIME_KEY"}',
    ]);
    await expect.poll(() => gateway.lines.length, SOON).toBe(1);
    const [row] = gateway.meter.requests({ limit: 1, keyId: 'vk_a' });
    expect(row).toMatchObject({ promptTokens: 0, completionTokens: 0, route: '/v1/messages/count_tokens' });
    const wrong = await ask(gateway.port, 'POST', path, chatBody({ model: 'none' }), undefined, headers);
    expect(JSON.parse(wrong.body.toString())).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  });

  it.each([
    ['of Jina', { results: [], usage: { total_tokens: 38 } }, 38],
    ['of vLLM', { results: [], usage: { prompt_tokens: 38, total_tokens: 38 } }, 38],
    ['of Cohere', { results: [], meta: { billed_units: { search_units: 1 }, tokens: { input_tokens: 38 } } }, 38],
    ['of Cohere, billed by tokens', { results: [], meta: { billed_units: { input_tokens: 38 } } }, 38],
  ] as const)('counts a reranking as an answer %s tells it', async (_, answer, promptTokens) => {
    await using runtime = await startRuntime(play(JSON_TYPE, answer));
    const key = makeKey();
    await using gateway = await startGateway(
      { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] },
      { transport },
    );
    const body: FileParts = { model: 'demo', query: 'What?', documents: ['a', 'b'], top_n: 1 };
    const got = await ask(gateway.port, 'POST', '/v1/rerank?x=1', JSON.stringify(body), undefined, key.headers);
    expect([got.status, got.body.toString()]).toEqual([200, JSON.stringify(answer)]);
    expect([lastOf(runtime).target, JSON.parse(lastOf(runtime).body)]).toEqual([
      '/v1/rerank?x=1',
      { ...body, model: 'up' },
    ]);
    await expect.poll(() => gateway.lines.length, SOON).toBe(1);
    const [row] = gateway.meter.requests({ limit: 1, keyId: 'vk_a' });
    expect(row).toMatchObject({ promptTokens, completionTokens: 0, isEstimated: false });
  });
});
