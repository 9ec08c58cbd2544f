// Where the limits of a key stand: headers of answers, and of refusals.
import { afterAll, describe, expect, it } from 'vitest';
import { completion, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { overTransports } from '../../http/over-transports.js';
import type { Received } from '../../relay/raw-upstream.js';
import { noRedis, startRedis } from '../../support/redis.js';
import { noPostgres, postgresDatabases } from '../../support/test-databases.js';
import { chat, providerAt, startHosted, type StartedHosted } from './start-hosted.js';
import { headerOf, ratesOf } from '../../support/start-product.js';

const retryOf = (got: Received): number => Number(headerOf(got, 'retry-after'));

overTransports('limits of a key', (transport) => {
  const listen = { listen: { port: 0, transport } };

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
