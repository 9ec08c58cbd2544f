// What a request costs, to the nano-unit, on each way that it may end.
import { expect, it } from 'vitest';
import { overTransports } from '../../http/over-transports.js';
import { completion, fieldOf, lastOf, openEvents, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { ask } from '../../relay/raw-upstream.js';
import { chat, providerAt, settledOf, startHosted } from './start-hosted.js';
import { chatBody, type FileParts, headerOf } from '../../support/start-product.js';

const listen = (transport: string): FileParts => ({ listen: { port: 0, transport } });

overTransports('the hosted API', (transport) => {
  it('charges a whole answer by what the provider tells, and sends its key in the place of the client key', async () => {
    await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(11, 7))));
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen(transport) });
    await node.price();
    const payer = await node.payer();
    const got = await chat(node, payer, { temperature: 2.0001, unknown: 2 ** 60 });
    expect([got.status, got.body.toString()]).toEqual([200, completion(11, 7)]);
    expect(lastOf(provider).body).toBe(chatBody({ temperature: 2.0001, unknown: 2 ** 60 }));
    expect(fieldOf(lastOf(provider), 'authorization')).toBe('Bearer secret-of-env');
    const [generation] = await settledOf(node, payer);
    // 11 × 1,000 + 7 × 2,000 nano-units are 25 micro-units.
    expect(generation).toMatchObject({ state: 'settled', promptTokens: 11, completionTokens: 7, costMicro: 25n });
    expect(headerOf(got, 'x-generation-id')).toBe(generation?.requestId);
    expect(headerOf(got, 'x-request-id')).toBe(generation?.requestId);
    const account = await node.billing.accounts.get(payer.account.id);
    expect([account.availableMicro, account.heldMicro]).toEqual([100_000_000n - 25n, 0n]);
  });

  it('charges a stream with thinking and cached input once, rounded up once', async () => {
    const usage =
      '{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":15}}';
    await using provider = await startRuntime((_, socket) => {
      const events = openEvents(socket);
      events.write('data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}\n\n');
      events.token();
      events.write(`data: {"choices":[],"usage":${usage}}\n\n`);
      events.end();
    });
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen(transport) });
    await node.price('demo', { inputNano: 333n, cachedInputNano: 33n, outputNano: 1_001n });
    const payer = await node.payer();
    const got = await chat(node, payer, { stream: true, stream_options: { include_usage: true } });
    expect(got.body.toString()).toMatch(/"hm".*" a".*reasoning_tokens.*\[DONE\]\n\n$/s);
    const [generation] = await settledOf(node, payer);
    // 36 × 333 + 64 × 33 + 20 × 1,001 = 34,120 nano-units.
    expect(generation).toMatchObject({ cachedTokens: 64, reasoningTokens: 15, isEstimated: false, costMicro: 35n });
  });

  it('charges embeddings for their prompt, with a listed path', async () => {
    const body = '{"object":"list","data":[{"embedding":[0.1]}],"usage":{"prompt_tokens":9,"total_tokens":9}}';
    await using provider = await startRuntime((_, socket) => void socket.write(whole(body)));
    const paths = [{ path: '/v1/embeddings', upstream: '/api/embed', dialect: 'embeddings' }];
    await using node = await startHosted({ providers: [providerAt(provider.url, { paths })], ...listen(transport) });
    await node.price();
    const payer = await node.payer();
    const request = '{"model":"demo","input":["a","b"]}';
    const got = await ask(node.port, 'POST', '/up/v1/embeddings', request, undefined, payer.headers);
    expect([got.status, got.body.toString()]).toEqual([200, body]);
    expect(lastOf(provider).target).toBe('/api/embed');
    expect(await settledOf(node, payer)).toMatchObject([{ promptTokens: 9, completionTokens: 0, costMicro: 9n }]);
  });

  it.each([
    [undefined, true],
    ['inject', true],
    ['observe', false],
  ])('with metering %s asks for usage: %s, and takes the extra chunk out again', async (metering, isAsked) => {
    await using provider = await startRuntime((_, socket) => {
      const events = openEvents(socket);
      events.token();
      events.usage(5, 3);
      events.end();
    });
    const providers = [providerAt(provider.url, metering === undefined ? {} : { metering })];
    const gateways = { allow_private: ['127.0.0.0/8'] };
    await using node = await startHosted({ providers, gateways, ...listen(transport) });
    const added = { slug: 'lab', name: 'Lab', base_url: provider.url, models: ['up'] };
    await node.operate('gateways.add', metering === undefined ? added : { ...added, metering });
    for (const owner of ['up', 'pgw/lab']) await node.price('up', { provider: owner });
    const payer = await node.payer();
    for (const owner of ['up', 'pgw/lab']) {
      const path = `/${owner}/v1/chat/completions`;
      const body = chatBody({ model: 'up', stream: true });
      const got = await ask(node.port, 'POST', path, body, undefined, payer.headers);
      expect(lastOf(provider).body.includes('"stream_options":{"include_usage":true}')).toBe(isAsked);
      expect(got.body.toString().includes('usage')).toBe(!isAsked);
    }
    const told = { promptTokens: 5, completionTokens: 3, isEstimated: false };
    expect(await settledOf(node, payer, 2)).toMatchObject([told, told]);
  });

  it('sends a stream without the question to a provider that refuses it, and charges it once', async () => {
    await using provider = await startRuntime((asked, socket) => {
      if (asked.body.includes('stream_options')) return void socket.write(whole('{"detail":"extra inputs"}', 422));
      const events = openEvents(socket);
      events.token();
      events.end();
    });
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen(transport) });
    await node.price();
    const payer = await node.payer();
    for (let i = 0; i < 2; i++) expect((await chat(node, payer, { stream: true })).status).toBe(200);
    expect(provider.asked.map(({ body }) => body.includes('stream_options'))).toEqual([true, false, false]);
    const estimated = { state: 'settled', isEstimated: true };
    expect(await settledOf(node, payer, 2)).toMatchObject([estimated, estimated]);
  });

  it('estimates a stream that tells no usage, and says so', async () => {
    await using provider = await startRuntime((_, socket) => {
      const events = openEvents(socket);
      for (let i = 0; i < 6; i++) events.token();
      events.end();
    });
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen(transport) });
    await node.price();
    const payer = await node.payer();
    await chat(node, payer, { stream: true });
    expect(await settledOf(node, payer)).toMatchObject([{ completionTokens: 6, isEstimated: true, state: 'settled' }]);
  });

  it.each([
    [429, ['Retry-After: 7'], '{"error":{"message":"slow down"}}'],
    [500, [], '{"error":"own words"}'],
    [307, ['Location: http://127.0.0.1:1/steal'], ''],
  ] as const)('hands on %d as it is, and charges nothing', async (status, fields, body) => {
    await using provider = await startRuntime((_, socket) => void socket.write(whole(body, status, fields)));
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen(transport) });
    await node.price();
    const payer = await node.payer();
    const got = await chat(node, payer);
    expect([got.status, got.body.toString()]).toEqual([status, body]);
    for (const field of fields) {
      const [name = '', value] = field.split(': ');
      expect(headerOf(got, name.toLowerCase())).toBe(value);
    }
    expect(provider.asked).toHaveLength(1);
    expect(await settledOf(node, payer)).toMatchObject([{ state: 'voided', costMicro: 0n, status }]);
    const account = await node.billing.accounts.get(payer.account.id);
    expect([account.availableMicro, account.heldMicro]).toEqual([100_000_000n, 0n]);
  });
});
