// Where the limits of a key stand: headers of answers, and of refusals.
import { afterAll, describe, expect, it } from 'vitest';
import { completion, openEvents, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { overTransports } from '../../http/over-transports.js';
import type { Received } from '../../relay/raw-upstream.js';
import { noRedis, startRedis } from '../../support/redis.js';
import { noPostgres, postgresDatabases } from '../../support/test-databases.js';
import { chat, headerOf, providerAt, settledOf, startHosted, type StartedHosted } from './start-hosted.js';

/** The rate headers of an answer, by what follows `x-ratelimit-`. */
const ratesOf = ({ fields }: Received): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fields.flatMap(([name, value]) => {
      const rest = /^x-ratelimit-(.*)$/i.exec(name)?.[1];
      return rest === undefined ? [] : [[rest.toLowerCase(), value]];
    }),
  );
const retryOf = (got: Received): number => Number(headerOf(got, 'retry-after'));

overTransports('limits of a key', (transport) => {
  const listen = { listen: { port: 0, transport } };

  it('are in the headers of a whole answer and of a stream, whose bytes stay as they are', async () => {
    const body = completion(10, 5);
    await using provider = await startRuntime((asked, socket) => {
      if (!asked.body.includes('"stream":true')) return void socket.write(whole(body));
      const events = openEvents(socket);
      events.token();
      events.usage(10, 5);
      events.end();
    });
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen });
    await node.price();
    const payer = await node.payer(100, { requestsPerMinute: 10, tokensPerMinute: 100_000 });
    const first = await chat(node, payer, { max_tokens: 100 });
    expect([first.status, first.body.toString()]).toEqual([200, body]);
    const rates = ratesOf(first);
    expect(rates).toMatchObject({ 'limit-requests': '10', 'remaining-requests': '9', 'limit-tokens': '100000' });
    // What is reserved counts while the request runs: its prompt, which is bounded by its bytes, and 100 tokens of output.
    expect(Number(rates['remaining-tokens'])).toBeLessThan(100_000 - 100);
    expect(Number(rates['remaining-tokens'])).toBeGreaterThan(100_000 - 400);
    for (const side of ['requests', 'tokens']) expect(rates[`reset-${side}`]).toMatch(/^(?:\d+m)?\d+s$|^\d+ms$/);
    await settledOf(node, payer);
    const second = await chat(node, payer, { stream: true, max_tokens: 100 });
    expect(second.body.toString()).toMatch(/^data: .*\[DONE\]\n\n$/s);
    expect(ratesOf(second)).toMatchObject({ 'limit-requests': '10', 'remaining-requests': '8' });
    // The first is over, and counts what it used: 15 tokens.
    expect(Number(ratesOf(second)['remaining-tokens'])).toBeCloseTo(Number(rates['remaining-tokens']) - 15, -1.5);
  });

  it('take the place of those of the provider that have their names, and of no others', async () => {
    const fields = [
      'X-RateLimit-Limit-Requests: 5000',
      'x-ratelimit-remaining-requests: 4999',
      'x-ratelimit-limit-tokens: 160000',
      'x-ratelimit-limit-images: 7',
      'anthropic-ratelimit-requests-limit: 50',
      'RateLimit: "api";r=0;t=55',
    ];
    await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(1, 1), 200, fields)));
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen });
    await node.price();
    const limited = await chat(node, await node.payer(1, { requestsPerMinute: 3 }));
    expect(limited.fields.filter(([name]) => /^x-ratelimit-(?:limit|remaining)-requests$/i.test(name))).toHaveLength(2);
    expect(ratesOf(limited)).toEqual({
      'limit-requests': '3',
      'remaining-requests': '2',
      'reset-requests': expect.stringMatching(/^(?:1m)?\d+s$/),
      'limit-tokens': '160000',
      'limit-images': '7',
    });
    const free = await chat(node, await node.payer());
    expect(ratesOf(free)).toEqual({
      'limit-requests': '5000',
      'remaining-requests': '4999',
      'limit-tokens': '160000',
      'limit-images': '7',
    });
    for (const got of [limited, free]) {
      expect(headerOf(got, 'anthropic-ratelimit-requests-limit')).toBe('50');
      expect(headerOf(got, 'ratelimit')).toBe('"api";r=0;t=55');
    }
  });

  it('are in a refusal too, with when to try again', async () => {
    await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(10, 5))));
    await using node = await startHosted({ providers: [providerAt(provider.url)], ...listen });
    await node.price();
    const payer = await node.payer(100, { requestsPerMinute: 1, tokensPerMinute: 5_000 });
    expect((await chat(node, payer, { max_tokens: 10 })).status).toBe(200);
    const over = await chat(node, payer, { max_tokens: 10 });
    expect([over.status, over.body.toString()]).toMatchObject([429, expect.stringContaining('rate_limit_exceeded')]);
    expect(ratesOf(over)).toMatchObject({ 'limit-requests': '1', 'remaining-requests': '0', 'limit-tokens': '5000' });
    expect(retryOf(over)).toBeGreaterThan(50);
    expect(retryOf(over)).toBeLessThanOrEqual(61);
    expect(Number(headerOf(over, 'retry-after-ms'))).toBeLessThanOrEqual(retryOf(over) * 1000);
    expect(JSON.parse(over.body.toString())).toEqual({
      error: {
        message: expect.stringContaining('1 requests a minute'),
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    });

    const tokens = await node.payer(100, { tokensPerMinute: 1_000 });
    expect((await chat(node, tokens, { max_tokens: 600 })).status).toBe(200);
    // It used 15 of 1,000: there is room again, but not for more than a minute may ever have.
    await settledOf(node, tokens);
    const never = await chat(node, tokens, { max_tokens: 2_000 });
    // Every 429 says when limits are whole again, also where waiting alone does not help.
    expect([never.status, headerOf(never, 'retry-after')]).toEqual([429, '60']);
    expect(never.body.toString()).toContain('a shorter prompt');
    expect(ratesOf(never)).toMatchObject({ 'limit-tokens': '1000', 'remaining-tokens': '985' });
  });

  it('are in an error of a request that was admitted, and not in those of others', async () => {
    await using node = await startHosted({ providers: [providerAt('http://127.0.0.1:1')], ...listen });
    await node.price();
    const payer = await node.payer(100, { requestsPerMinute: 5 });
    const failed = await chat(node, payer);
    expect(failed.status).toBe(502);
    expect(ratesOf(failed)).toMatchObject({ 'limit-requests': '5', 'remaining-requests': '4' });
    const unknown = await chat(node, payer, { model: 'none' });
    expect([unknown.status, ratesOf(unknown)]).toEqual([404, {}]);
  });
});

describe.skipIf(noPostgres !== undefined)(`limits of a key on two nodes (${noPostgres ?? 'here'})`, () => {
  const postgres = postgresDatabases();
  afterAll(() => postgres.close());

  const startTwo = async (
    url: string,
    valkeyUrl?: string,
  ): Promise<AsyncDisposable & { readonly nodes: readonly StartedHosted[] }> => {
    const database = { postgres: { url: { env: 'DATABASE' } } };
    const secrets: Readonly<Record<string, string | undefined>> = {
      SECRET: '0123456789abcdef0123456789abcdef',
      DATABASE: await postgres.freshUrl(),
      VALKEY: valkeyUrl,
    };
    const readSecret = async (source: { readonly from: string; readonly name?: string }): Promise<string> =>
      secrets[source.name ?? ''] ?? 'secret';
    const parts = {
      providers: [providerAt(url)],
      database,
      ...(valkeyUrl !== undefined && { valkey: { url: { env: 'VALKEY' } } }),
    };
    const first = await startHosted(parts, { readSecret });
    const second = await startHosted(parts, { readSecret });
    await Promise.all([first, second].map(({ billing }) => billing.tick()));
    return {
      nodes: [first, second],
      async [Symbol.asyncDispose]() {
        await first[Symbol.asyncDispose]();
        await second[Symbol.asyncDispose]();
      },
    };
  };

  it.skipIf(noRedis !== undefined)(`are one where there is a Valkey (${noRedis ?? 'here'})`, async () => {
    await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(1, 1))));
    const valkey = await startRedis();
    try {
      await using two = await startTwo(provider.url, valkey.url);
      const [first, second] = two.nodes as [StartedHosted, StartedHosted];
      await first.price();
      const payer = await first.payer(100, { requestsPerMinute: 4 });
      const seen: unknown[] = [];
      for (const node of [first, second, second, first, second]) {
        const got = await chat(node, payer);
        const rates = ratesOf(got);
        seen.push([got.status, rates['limit-requests'], rates['remaining-requests'], retryOf(got) > 0]);
      }
      expect(seen).toEqual([
        [200, '4', '3', false],
        [200, '4', '2', false],
        [200, '4', '1', false],
        [200, '4', '0', false],
        [429, '4', '0', true],
      ]);
    } finally {
      await valkey.stop();
    }
  });

  it('are divided where there is none, and each node tells its part', async () => {
    await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(1, 1))));
    await using two = await startTwo(provider.url);
    const [first, second] = two.nodes as [StartedHosted, StartedHosted];
    await first.price();
    const payer = await first.payer(100, { requestsPerMinute: 4 });
    const seen: unknown[] = [];
    for (const node of [first, first, second, first]) {
      const got = await chat(node, payer);
      seen.push([got.status, ratesOf(got)['limit-requests'], ratesOf(got)['remaining-requests']]);
    }
    expect(seen).toEqual([
      [200, '2', '1'],
      [200, '2', '0'],
      [200, '2', '1'],
      [429, '2', '0'],
    ]);
  });
});
