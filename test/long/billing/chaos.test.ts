// Two nodes on one PostgreSQL under load. One of them is killed every few seconds, and the database is restarted three times.
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/index.js';
import { openBilling, type Billing } from '../../../src/billing/index.js';
import { costMicro } from '../../../src/billing/prices/cost.js';
import { outcomeOf } from '../../billing/fixtures/chaos-process.js';
import { HMAC_KEY, newCaller, PRICED } from '../../billing/open-test-billing.js';
import { noPostgres, postgresDatabases } from '../../support/test-databases.js';

/** Requests that are settled at least. */
const REQUESTS = Number(process.env['CHAOS_REQUESTS'] ?? 100_000);
const CREDIT = 10n ** 13n;
const KILL_MS = 10_000;

const databases = postgresDatabases(true);
const directories: string[] = [];
afterAll(async () => {
  await databases.close();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'billing-chaos-'));
  directories.push(directory);
  return directory;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function expectedCost(requestId: string): bigint {
  const { promptTokens, completionTokens } = outcomeOf(requestId);
  return costMicro(PRICED, { promptTokens, cachedTokens: 0, completionTokens, images: 0, audios: 0 });
}

async function sumOf(billing: Billing, accountId: string) {
  const settled = new Map<string, bigint>();
  let [voided, cursor]: [number, string | undefined] = [0, undefined];
  do {
    const page = await billing.requests.list(accountId, { limit: 1000, ...(cursor !== undefined && { cursor }) });
    for (const { requestId, state, costMicro: cost } of page.items) {
      expect(settled.has(requestId)).toBe(false);
      if (state === 'settled') settled.set(requestId, cost);
      else voided++;
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return { settled, voided };
}

describe.skipIf(noPostgres !== undefined)(`chaos (${noPostgres ?? 'PostgreSQL'})`, () => {
  it('leaves the books as the upstreams counted, charges nothing twice and holds nothing', async () => {
    const url = await databases.freshUrl();
    const server = await databases.server();
    const database = await databases.open(url);
    const options = { database, directory: newDirectory(), hmacKey: HMAC_KEY, clock: systemClock, log: () => {} };
    await using billing = await openBilling(options);
    const { account, secret } = await newCaller(billing, CREDIT);
    const told = new Set<string>();
    const places = [newDirectory(), newDirectory()];
    const start = (at: number): ChildProcess => {
      // One of them takes allowances, the other has a hold for each request.
      const argv = [url, places[at] ?? '', secret, at === 0 ? '100' : 'Infinity'];
      const node = fork(join(import.meta.dirname, '../../billing/fixtures/chaos-process.js'), argv);
      node.on('message', ({ settled }: { settled: string[] }) => settled.forEach((id) => told.add(id)));
      return node;
    };
    const nodes = [start(0), start(1)];
    let [kills, restarts] = [0, 0];
    for (let turn = 0; told.size < REQUESTS || restarts < 3; turn++) {
      await pause(KILL_MS);
      const at = turn % nodes.length;
      const ended = new Promise((resolve) => nodes[at]?.once('exit', resolve));
      nodes[at]?.kill('SIGKILL');
      await ended;
      kills++;
      if (restarts < 3) {
        restarts++;
        await server.halt(restarts === 2 ? 'crash' : 'fast');
        await pause(1_000);
        await server.start();
      }
      nodes[at] = start(at);
    }
    for (const node of nodes) node.kill('SIGKILL');
    // What a node left in its outbox is replayed by the next one in its place.
    for (const directory of places) {
      await using last = await openBilling({ ...options, directory });
      for (let i = 0; i < 100 && last.outboxDepth > 0; i++) await pause(100);
      expect(last.outboxDepth).toBe(0);
    }
    // The dead are found out, and what they held is free.
    for (let i = 0; i < 120 && (await billing.accounts.get(account.id)).heldMicro > 0n; i++) await pause(1_000);
    await billing.tick();
    const { heldMicro, availableMicro } = await billing.accounts.get(account.id);
    expect(heldMicro).toBe(0n);
    const { settled, voided } = await sumOf(billing, account.id);
    const lost = [...told].filter((id) => !settled.has(id));
    expect(lost).toEqual([]);
    const wrong = [...settled].filter(([id, cost]) => cost !== expectedCost(id));
    expect(wrong).toEqual([]);
    expect(voided).toBeGreaterThan(0);
    const charged = [...settled.values()].reduce((sum, cost) => sum + cost, 0n);
    expect(availableMicro).toBe(CREDIT - charged);
    expect((await billing.ledger.verify()).faults).toEqual([]);
    console.log(`${settled.size} settled, ${voided} voided, ${kills} kills, ${restarts} restarts`);
    await database[Symbol.asyncDispose]();
  }, 7_200_000);
});
