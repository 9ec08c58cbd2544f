import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { unixMs } from '../../../src/base/index.js';
import type { TestDatabases } from '../../support/test-databases.js';
import { startCrowd } from './start-crowd.js';
import { openTestConnected } from './open-test-connected.js';
import { createScaledClock } from './scaled-clock.js';

/** The result of two rounds of a crowd. Times are of the service's clock. */
export interface CrowdResult {
  /** From the first moment to when every gateway had been asked twice. */
  readonly twiceMs: number;
  readonly notAsked: readonly string[];
  /** Good gateways whose models are not there, or are stale. */
  readonly wrongGood: readonly string[];
  /** Bad gateways that offer models. */
  readonly wrongBad: readonly string[];
  /** The most that were asked at once. */
  readonly mostAtOnce: number;
  readonly heapGrowthBytes: number;
  /** The longest that the event loop was held, in real milliseconds. */
  readonly longestBlockMs: number;
  readonly reasons: ReadonlyMap<string, string>;
}

/** Syncs `count` gateways every `intervalMs` of a clock that is `scale` times as fast as the machine's, twice. */
export async function runCrowd(
  databases: TestDatabases,
  { count, intervalMs, scale }: { readonly count: number; readonly intervalMs: number; readonly scale: number },
): Promise<CrowdResult> {
  await using crowd = await startCrowd(count);
  const clock = createScaledClock(scale);
  const [startMs, wallMs] = [clock.nowMs(), unixMs()];
  const now = (): number => Math.floor(wallMs + clock.nowMs() - startMs);
  await using test = await openTestConnected(databases, {
    clock,
    now,
    syncIntervalMs: intervalMs,
    random: Math.random,
  });
  const { sync, directory, store } = test.connected;
  for (const { slug, baseUrl } of crowd.gateways) await test.add({ slug, baseUrl });
  const heapBytes = process.memoryUsage().heapUsed;
  const begunMs = clock.nowMs();
  const running = sync.run();
  let [mostAtOnce, mostHeap, longestBlockMs, lastMs] = [0, 0, 0, performance.now()];
  // Two rounds, the second within the interval and its jitter, and a tenth for syncs under way.
  const endMs = begunMs + intervalMs * 1.3 + 60_000;
  const isDone = (): boolean => crowd.gateways.every(({ slug }) => crowd.asked(slug) >= 2);
  while (!isDone() && clock.nowMs() < endMs) {
    await delay(10);
    mostAtOnce = Math.max(mostAtOnce, sync.running);
    mostHeap = Math.max(mostHeap, process.memoryUsage().heapUsed);
    longestBlockMs = Math.max(longestBlockMs, performance.now() - lastMs);
    lastMs = performance.now();
  }
  const twiceMs = clock.nowMs() - begunMs;
  while (sync.running > 0 && clock.nowMs() < endMs + 30_000) await delay(10);
  await directory.refresh();
  const found = new Map((await store.list()).map((gateway) => [gateway.slug, gateway]));
  const good = crowd.gateways.filter(({ bad }) => bad === undefined);
  const bad = crowd.gateways.filter((each) => each.bad !== undefined);
  const modelsOf = (slug: string): number => directory.find(slug)?.models.size ?? 0;
  const result = {
    twiceMs,
    notAsked: crowd.gateways.filter(({ slug }) => crowd.asked(slug) < 2).map(({ slug }) => slug),
    wrongGood: good
      .filter(({ slug }) => modelsOf(slug) !== 20 || directory.find(slug)?.staleSinceMs !== undefined)
      .map(({ slug }) => `${slug}: ${found.get(slug)?.sync.lastError ?? 'no models'}`),
    wrongBad: bad.filter(({ slug }) => modelsOf(slug) > 0).map(({ slug }) => slug),
    mostAtOnce,
    heapGrowthBytes: mostHeap - heapBytes,
    longestBlockMs,
    reasons: new Map(bad.map(({ slug, bad: way = '' }) => [way, found.get(slug)?.sync.lastError ?? ''])),
  };
  await sync[Symbol.asyncDispose]();
  await running;
  return result;
}
