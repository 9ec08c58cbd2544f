// Limits a minute that nodes share by a Valkey, and the limits while it is away.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock, type LogEntry } from '../../src/base/index.js';
import type { AccountKeyLimits } from '../../src/billing/index.js';
import { LocalLimits } from '../../src/billing/limits/local-limits.js';
import { SharedLimits } from '../../src/billing/limits/shared-limits.js';
import { noRedis, startRedis } from '../support/redis.js';

type Redis = Awaited<ReturnType<typeof startRedis>>;

describe.skipIf(noRedis !== undefined)(`shared limits (${noRedis ?? 'here'})`, () => {
  let redis: Redis | undefined;
  beforeAll(async () => void (redis = await startRedis()));
  afterAll(() => redis?.stop());

  const open = async (entries: LogEntry[] = []): Promise<SharedLimits> => {
    const local = new LocalLimits({ clock: systemClock, nodes: () => 2 });
    return SharedLimits.open({
      url: redis?.url ?? '',
      local,
      clock: systemClock,
      log: (entry) => void entries.push(entry),
    });
  };
  const ask = (keyId: string, limits: Partial<AccountKeyLimits>, tokens = 1) => ({
    keyId,
    limits: { budgets: [], models: null, ...limits },
    tokens,
  });
  const countTaken = async (
    nodes: readonly SharedLimits[],
    keyId: string,
    limits: Partial<AccountKeyLimits>,
    tokens = 1,
  ) => {
    const tried = Array.from({ length: 60 }, async (_, i) => nodes[i % nodes.length]?.take(ask(keyId, limits, tokens)));
    const settled = await Promise.allSettled(tried);
    return settled.filter(({ status }) => status === 'fulfilled').length;
  };

  it('are one for all nodes, by requests and by tokens', async () => {
    const nodes = await Promise.all([open(), open(), open()]);
    expect(await countTaken(nodes, 'requests', { requestsPerMinute: 20 })).toBe(20);
    expect(await countTaken(nodes, 'tokens', { tokensPerMinute: 1_000 }, 100)).toBe(10);
    await expect(nodes[0]?.take(ask('requests', { requestsPerMinute: 20 }))).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      details: { limit: 'requests_per_minute', value: 20 },
    });
    for (const node of nodes) node.close();
  });

  it('count what was used when a request ends, and nothing for one that was not sent', async () => {
    const node = await open();
    const limits = { tokensPerMinute: 1_000, requestsPerMinute: 5 };
    const first = await node.take(ask('used', limits, 900));
    await expect(node.take(ask('used', limits, 200))).rejects.toMatchObject({
      details: { limit: 'tokens_per_minute' },
    });
    first.end(100);
    (await node.take(ask('used', limits, 800))).undo();
    (await node.take(ask('used', limits, 800))).end(800);
    await expect(node.take(ask('used', limits, 200))).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    node.close();
  });

  it('are divided by the nodes while the Valkey is away, and shared again when it is back', async () => {
    const entries: LogEntry[] = [];
    const node = await open(entries);
    const port = redis?.port;
    await redis?.stop();
    expect(await countTaken([node], 'away', { requestsPerMinute: 20 })).toBe(10);
    expect(entries).toContainEqual(expect.objectContaining({ event: 'shared limits away' }));
    redis = await startRedis(port);
    let taken = 0;
    // It is left alone for two seconds. Each try has a key of its own: what comes too late to be an answer counts there all the same.
    for (let i = 0; i < 100 && taken !== 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      taken = await countTaken([node], `back ${i}`, { requestsPerMinute: 20 });
    }
    expect(taken).toBe(20);
    node.close();
  });
});

it('limits of a node are its part of those of all', () => {
  const limits = new LocalLimits({ clock: systemClock, nodes: () => 4 });
  const take = () =>
    limits.take({ keyId: 'k', limits: { budgets: [], models: null, requestsPerMinute: 10 }, tokens: 1 });
  take();
  take();
  expect(take).toThrow('this key may have 10 requests a minute');
});
