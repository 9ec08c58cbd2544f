// 100 gateways by name, of which a third has name servers that do not answer: the others are synced and served at once.
import { performance } from 'node:perf_hooks';
import { afterAll, expect, it } from 'vitest';
import { createHostLookups, mayServe, type LookUpAll } from '../../../src/address/index.js';
import { present, systemClock } from '../../../src/base/index.js';
import { createUpstreamSet } from '../../../src/hosted/upstreams/upstream-set.js';
import { startNameServer } from '../../address/name-server.js';
import { sqlites } from '../../support/test-databases.js';
import { listOf, startListing } from './listing-server.js';
import { openTestConnected } from './open-test-connected.js';
import { expectWithin } from '../../support/elapsed.js';

const COUNT = 100;
const isSlow = (i: number): boolean => i % 3 === 2;
const nameOf = (i: number): string => `g${i}.${isSlow(i) ? 'slow' : 'good'}.test`;
const slugOf = (i: number): string => `${isSlow(i) ? 'slow' : 'good'}-${i}`;
const all = Array.from({ length: COUNT }, (_, i) => i);
const good = all.filter((i) => !isSlow(i));

/** Lookups of a node whose names are those of the test. */
async function openNames(): Promise<AsyncDisposable & { readonly lookUpAll: LookUpAll }> {
  const server = await startNameServer((name) =>
    name.endsWith('.slow.test') ? 'silent' : { addresses: ['127.0.0.1'], ttl: 1 },
  );
  const lookups = createHostLookups({ clock: systemClock, servers: [server.address], hostsPath: '/nonexistent' });
  return {
    lookUpAll: lookups.lookUpAll,
    async [Symbol.asyncDispose]() {
      lookups[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

it('requests to the others are answered while those to the slow ones wait', async () => {
  await using gateway = await startListing(listOf('a'));
  await using names = await openNames();
  await using set = createUpstreamSet(systemClock, names.lookUpAll);
  const limits = { connections: 4, firstByteMs: 10_000, idleMs: 10_000, requestMs: 10_000, mayConnect: mayServe };
  const ended: number[] = [];
  const ask = async (i: number): Promise<void> => {
    const baseUrl = `http://${nameOf(i)}:${gateway.port}`;
    const { upstream } = await set.open({ key: baseUrl, id: `g${i}`, baseUrl, ...limits });
    const answer = await upstream.request({ method: 'GET', target: '/v1/models', fields: [] });
    let size = 0;
    for await (const piece of answer.body) size += piece.length;
    expect(size).toBeGreaterThan(0);
  };
  const asked = await Promise.allSettled(all.map((i) => ask(i).finally(() => ended.push(i))));
  expect(asked.map(({ status }, i) => [i, status])).toEqual(all.map((i) => [i, isSlow(i) ? 'rejected' : 'fulfilled']));
  // A slow name is given up after some four seconds. With two threads for all of them the last would take minutes.
  expect(ended.slice(0, good.length).toSorted((a, b) => a - b)).toEqual(good);
});

const databases = present(sqlites[0], 'one SQLite is always there');
afterAll(() => databases.close());

it('the lists of the others are read within one look at all', async () => {
  await using gateway = await startListing(listOf('a', 'b'));
  await using names = await openNames();
  await using test = await openTestConnected(databases, { lookUpAll: names.lookUpAll, random: Math.random });
  for (const i of all) await test.add({ slug: slugOf(i), baseUrl: `http://${nameOf(i)}:${gateway.port}` });
  const { sync, store, directory } = test.connected;
  const startMs = performance.now();
  const running = sync.run();
  const read = (): number => gateway.seen.length;
  await expect.poll(read, { timeout: 120_000, interval: 20 }).toBe(good.length);
  // Sixteen are asked at once, and each slow one holds its place for four seconds: 33 of them are 12 s.
  expectWithin(25_000, startMs);
  const wrong = async (): Promise<readonly string[]> =>
    (await store.list()).flatMap(({ slug, sync: { lastError, models } }) =>
      (slug.startsWith('slow') ? lastError !== undefined : models.length === 2 && lastError === undefined)
        ? []
        : [`${slug}: ${lastError}`],
    );
  await expect.poll(wrong, { timeout: 120_000, interval: 200 }).toEqual([]);
  await directory.refresh();
  expect(all.filter((i) => directory.find(slugOf(i))?.models.size === 2)).toEqual(good);
  // From the second round on the slow ones come last: those that answered are asked before them.
  test.wall.ms += 330_000;
  const secondMs = performance.now();
  await expect.poll(read, { timeout: 120_000, interval: 20 }).toBe(2 * good.length);
  expectWithin(12_000, secondMs);
  await sync[Symbol.asyncDispose]();
  await running;
});
