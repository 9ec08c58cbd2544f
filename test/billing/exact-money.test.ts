// A thousand requests at once of an account that has money for exactly k of them, whichever node holds a part of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from '../../src/base/index.js';
import type { Billing, BillingOptions } from '../../src/billing/index.js';
import type { Database } from '../../src/database/index.js';
import { noPostgres, postgresDatabases, sqlites, type TestDatabases } from '../support/test-databases.js';
import { newCaller, newRequest, openTestBilling, PRICED, used, type TestBilling } from './open-test-billing.js';

const postgres = postgresDatabases();
afterAll(() => Promise.all([postgres.close(), ...sqlites.map((one) => one.close())]));

/** The cost of each request: 0.01. */
const COST_MICRO = 10_000n;
const FREE_TOKENS = { inputNano: 0n, cachedInputNano: 0n, cacheWriteNano: 0n, outputNano: 0n };
const BY_REQUEST = { ...PRICED, ...FREE_TOKENS, requestNano: COST_MICRO * 1_000n };

/** Two nodes share one database object: with SQLite they are in one process, as no two processes can be. */
async function openNodes(count: number, databases: TestDatabases, isShared: boolean): Promise<TestBilling[]> {
  const nodes: TestBilling[] = [];
  const options: Partial<BillingOptions> = { busyPerSecond: 50 };
  const url = isShared ? '' : await postgres.freshUrl();
  const shared: Database | undefined = isShared ? await databases.fresh() : undefined;
  for (let i = 0; i < count; i++) {
    const database = shared ?? (await postgres.open(url));
    nodes.push(await openTestBilling(databases, { ...options, database }));
  }
  return nodes;
}

/** The billing of the node that the request `i` comes to. */
function billingOf(nodes: readonly TestBilling[], i: number): Billing {
  return present(nodes[i % nodes.length], 'there is a node').billing;
}

async function closeAll(nodes: readonly TestBilling[]): Promise<void> {
  for (const node of nodes) await node[Symbol.asyncDispose]();
  for (const database of new Set(nodes.map((node) => node.database))) await database[Symbol.asyncDispose]();
}

const [sqlite] = sqlites;
const places = [
  { name: 'SQLite', databases: sqlite, isShared: true, skip: sqlite === undefined },
  { name: 'PostgreSQL', databases: postgres, isShared: false, skip: noPostgres !== undefined },
].flatMap((place) => [1, 2].map((count) => ({ ...place, count })));

describe.each(places)('a thousand requests at once on $name, with $count node(s),', (place) => {
  const { databases, isShared, count, skip } = place;
  /** For all tests: each has an account of its own. */
  let nodes: readonly TestBilling[] = [];
  beforeAll(async () => {
    if (!skip && databases !== undefined) nodes = await openNodes(count, databases, isShared);
  });
  afterAll(() => closeAll(nodes));

  it.skipIf(skip).each([
    { k: 0, settles: 'at the end' },
    { k: 1, settles: 'at the end' },
    { k: 60, settles: 'at the end' },
    { k: 137, settles: 'at once' },
    { k: 500, settles: 'at the end' },
    { k: 999, settles: 'at once' },
    { k: 1_000, settles: 'at the end' },
  ])('of an account with money for $k get $k answers, where they end $settles', async ({ k, settles }) => {
    const caller = await newCaller(nodes[0]?.billing as Billing, COST_MICRO * BigInt(k));
    const end = used(1, 1);
    const send = async (i: number): Promise<() => Promise<void>> => {
      const request = newRequest(caller, { price: BY_REQUEST, promptTokensBound: 10, outputTokensBound: 10 });
      const hold = await billingOf(nodes, i).requests.admit(request);
      if (settles === 'at once') await hold.settle(end);
      return () => hold.settle(end);
    };
    const sent = await Promise.allSettled(Array.from({ length: 1_000 }, (_, i) => send(i)));
    const answered = sent.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(answered).toHaveLength(k);
    for (const error of refused) expect(error).toMatchObject({ code: 'insufficient_credit' });
    await Promise.all(answered.map((settle) => settle()));
    for (const node of nodes) await node.billing.tick();
    const after = await billingOf(nodes, 0).accounts.get(caller.account.id);
    expect(after.availableMicro + after.heldMicro).toBe(0n);
    expect((await billingOf(nodes, 0).ledger.verify()).faults).toEqual([]);
  });

  it.skipIf(skip)('use what cheaper answers gave back into an allowance', async () => {
    // Each holds 0.0101 and costs 0.01.
    const price = { ...BY_REQUEST, outputNano: 1_000n };
    const caller = await newCaller(nodes[0]?.billing as Billing, 10_100n * 600n);
    let answers = 0;
    let refusals = 0;
    for (let round = 0; round < 20; round++) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const request = newRequest(caller, { price, promptTokensBound: 0, outputTokensBound: 100 });
          const hold = await billingOf(nodes, i)
            .requests.admit(request)
            .catch(() => undefined);
          await hold?.settle(used(0, 0));
          if (hold === undefined) refusals++;
          else answers++;
        }),
      );
      for (const node of nodes) node.clock.sleep(100);
    }
    const { availableMicro, heldMicro } = await billingOf(nodes, 0).accounts.get(caller.account.id);
    // The rest is less than the most that one request may cost: 606 requests at 0.01 leave nothing.
    expect([answers, refusals, availableMicro + heldMicro]).toEqual([605, 395, 10_000n]);
  });
});
