// Several nodes on one PostgreSQL: leases, dead nodes, keys that end elsewhere, allowances.
import { afterAll, describe, expect, it } from 'vitest';
import type { Billing, BillingOptions } from '../../src/billing/index.js';
import { noPostgres, postgresDatabases, sqlites } from '../support/test-databases.js';
import { newCaller, newRequest, openTestBilling, used, type TestBilling } from './open-test-billing.js';

const databases = postgresDatabases();
afterAll(() => Promise.all([databases.close(), ...sqlites.map((one) => one.close())]));

/** Nodes on one database, each with a clock of its own. */
async function openNodes(count: number, options: Partial<BillingOptions> = {}): Promise<TestBilling[]> {
  const url = await databases.freshUrl();
  const fresh = { name: 'PostgreSQL', fresh: () => databases.open(url), close: async () => {} };
  const nodes: TestBilling[] = [];
  for (let i = 0; i < count; i++) nodes.push(await openTestBilling(fresh, options));
  return nodes;
}

async function closeAll(nodes: readonly TestBilling[]): Promise<void> {
  for (const node of nodes) await node[Symbol.asyncDispose]();
}

/** So many seconds go by for all, in which the timers of `living` run. */
async function pass(seconds: number, living: readonly TestBilling[]): Promise<void> {
  for (let i = 0; i < seconds; i += 2) {
    for (const { billing, clock } of living) {
      clock.sleep(2_000);
      await billing.tick();
    }
  }
}

async function eventually(isSo: () => Promise<boolean> | boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 120_000 }).toBe(true);
}

describe.skipIf(noPostgres !== undefined)(`nodes on PostgreSQL (${noPostgres ?? 'here'})`, () => {
  it('have one holder of a lease, whose epoch grows with each, whatever their clocks say', async () => {
    const nodes = await openNodes(2);
    const [first, second] = nodes;
    if (first === undefined || second === undefined) throw new Error('there are two');
    // An hour apart, and one of them jumps.
    second.wall.ms += 3_600_000;
    const lease = await first.billing.leases.acquire('sync');
    expect(lease?.epoch).toBe(1n);
    expect(await second.billing.leases.acquire('sync')).toBeUndefined();
    first.wall.ms -= 3_600_000;
    await pass(60, nodes);
    expect(lease?.isHeld()).toBe(true);
    expect(await second.billing.leases.acquire('sync')).toBeUndefined();
    // The holder stands still: it stops by itself before another one begins.
    first.clock.sleep(11_000);
    expect(lease?.isHeld()).toBe(false);
    await pass(20, [second]);
    const next = await second.billing.leases.acquire('sync');
    expect(next?.epoch).toBe(2n);
    await first.billing.tick();
    expect(lease?.isHeld()).toBe(false);
    await next?.release();
    expect((await first.billing.leases.acquire('sync'))?.epoch).toBe(3n);
    await closeAll(nodes);
  });

  it('void what a dead node held, and settle its usage if that comes after all', async () => {
    const nodes = await openNodes(2);
    const [dead, living] = nodes;
    if (dead === undefined || living === undefined) throw new Error('there are two');
    const caller = await newCaller(dead.billing, 100_000n);
    const hold = await dead.billing.requests.admit(newRequest(caller));
    await pass(20, [dead, living]);
    expect((await living.billing.accounts.get(caller.account.id)).heldMicro).toBe(5_320n);
    // Half a minute without a sign of life, in which the other one looks.
    await pass(80, [living]);
    expect((await living.billing.accounts.get(caller.account.id)).heldMicro).toBe(0n);
    expect(await living.billing.requests.generation(caller.account.id, hold.requestId)).toMatchObject({
      state: 'voided',
    });
    // It only slept: what it settles now is charged, once.
    await hold.settle(used(100, 10));
    await dead.billing.tick();
    expect(dead.entries).toContainEqual(
      expect.objectContaining({ event: 'the node did not renew its lease and was declared dead' }),
    );
    expect(await living.billing.requests.generation(caller.account.id, hold.requestId)).toMatchObject({
      state: 'settled',
      costMicro: 300n,
    });
    expect((await living.billing.accounts.get(caller.account.id)).availableMicro).toBe(99_700n);
    await (await dead.billing.requests.admit(newRequest(caller))).settle(used(1, 1));
    await pass(20, nodes);
    expect((await living.billing.ledger.verify()).faults).toEqual([]);
    await closeAll(nodes);
  });

  it('never overspend an account that is nearly empty, whose thousand requests come to all of them at once', async () => {
    const nodes = await openNodes(3, { sliceTokens: 8 });
    const caller = await newCaller(nodes[0]?.billing as Billing, 805n);
    const sent = Array.from({ length: 999 }, async (_, i) => {
      const request = newRequest(caller, { promptTokensBound: 0, outputTokensBound: 8 });
      return nodes[i % 3]?.billing.requests.admit(request).catch(() => undefined);
    });
    const holds = (await Promise.all(sent)).filter((hold) => hold !== undefined);
    // Each holds 80, and one may have what is left: 5 are no token.
    expect(holds).toHaveLength(10);
    await Promise.all(holds.map((hold) => hold.settle(used(0, 8))));
    expect(await nodes[1]?.billing.accounts.get(caller.account.id)).toMatchObject({
      availableMicro: 5n,
      heldMicro: 0n,
    });
    expect((await nodes[2]?.billing.ledger.verify())?.faults).toEqual([]);
    await closeAll(nodes);
  });

  it('hear of keys and accounts that end on another one', async () => {
    const nodes = await openNodes(2);
    const [here, there] = nodes;
    if (here === undefined || there === undefined) throw new Error('there are two');
    const caller = await newCaller(here.billing, 1_000n);
    const second = await here.billing.keys.create(
      caller.account.id,
      { name: 'b', limits: { budgets: [], models: null } },
      't',
    );
    const ended: string[] = [];
    there.billing.keys.onEnded((id) => void ended.push(id));
    for (const secret of [caller.secret, second.secret]) await there.billing.keys.authenticate(secret);
    const isRefused = (secret: string) => async (): Promise<boolean> =>
      there.billing.keys.authenticate(secret).then(
        () => false,
        () => true,
      );
    await here.billing.keys.setState(caller.key.id, 'disabled', 'test');
    await eventually(isRefused(caller.secret));
    await here.billing.accounts.setState(caller.account.id, 'suspended', 'test');
    await eventually(isRefused(second.secret));
    await eventually(() => ended.includes(caller.key.id) && ended.includes(second.key.id));
    await closeAll(nodes);
  });

  it('link one chain, whoever does it', async () => {
    const nodes = await openNodes(3);
    const caller = await newCaller(nodes[0]?.billing as Billing, 10_000_000n);
    await Promise.all(
      nodes.map(async ({ billing }) => {
        for (let i = 0; i < 30; i++) {
          await (await billing.requests.admit(newRequest(caller))).settle(used(10, 10));
          if (i % 7 === 0) await billing.tick();
        }
      }),
    );
    await pass(20, nodes);
    const check = await nodes[0]?.billing.ledger.verify();
    expect(check).toEqual({ groups: 91, entries: 182, faults: [] });
    await closeAll(nodes);
  });
});

const places = [
  { name: 'SQLite', open: async (options: Partial<BillingOptions>) => openOne(options), skip: false },
  {
    name: 'PostgreSQL',
    open: (options: Partial<BillingOptions>) => openNodes(2, options),
    skip: noPostgres !== undefined,
  },
];

async function openOne(options: Partial<BillingOptions>): Promise<TestBilling[]> {
  const [sqlite] = sqlites;
  if (sqlite === undefined) throw new Error('there is an SQLite');
  return [await openTestBilling(sqlite, options)];
}

describe.each(places)('an account that is busy on $name', ({ open, skip }) => {
  it.skipIf(skip)('is spent from an allowance, never beyond what it has, and gets the rest back', async () => {
    const nodes = await open({ busyPerSecond: 5 });
    const [node] = nodes;
    if (node === undefined) throw new Error('there is one');
    const caller = await newCaller(node.billing, 200_000n);
    let charged = 0n;
    let refused = 0;
    const send = async ({ billing }: TestBilling): Promise<void> => {
      const hold = await billing.requests.admit(newRequest(caller)).catch(() => undefined);
      if (hold === undefined) {
        refused++;
        return;
      }
      await hold.allow(600);
      // Near the end less than that is granted.
      const tokens = Math.min(60, hold.grantedTokens);
      await hold.settle(used(100, tokens));
      charged += 200n + 10n * BigInt(tokens);
    };
    for (let i = 0; i < 40; i++) {
      for (const one of nodes) one.clock.sleep(50);
      await Promise.all(Array.from({ length: 8 }, (_, k) => send(nodes[k % nodes.length] ?? node)));
    }
    // Some went by the allowance: its row is there, and holds what was not used.
    const rows = await node.database.all('SELECT amount_micro FROM allowance');
    expect(rows.length).toBeGreaterThan(0);
    expect(charged).toBeGreaterThan(180_000n);
    expect(charged).toBeLessThanOrEqual(200_000n);
    expect(refused).toBeGreaterThan(0);
    expect((await node.billing.ledger.verify()).faults).toEqual([]);
    for (const one of nodes) one.clock.sleep(20_000);
    await pass(20, nodes);
    const account = await node.billing.accounts.get(caller.account.id);
    expect([account.availableMicro, account.heldMicro]).toEqual([200_000n - charged, 0n]);
    expect(nodes.map((one) => one.billing.counts.uncharged)).toEqual(nodes.map(() => 0));
    expect((await node.billing.ledger.verify()).faults).toEqual([]);
    await closeAll(nodes);
  });

  it.skipIf(skip)('is given back what a node had that died', async () => {
    const nodes = await open({ busyPerSecond: 1 });
    const [node] = nodes;
    if (node === undefined) throw new Error('there is one');
    const caller = await newCaller(node.billing, 1_000_000n);
    for (let i = 0; i < 20; i++) {
      const hold = await node.billing.requests.admit(newRequest(caller));
      if (i < 18) await hold.settle(used(100, 10));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const before = await node.billing.accounts.get(caller.account.id);
    expect(before.heldMicro).toBeGreaterThan(10_000n);
    expect(before.availableMicro + before.heldMicro).toBe(1_000_000n - 18n * 300n);
    const [, living = node] = nodes;
    if (living === node) {
      // Its process is gone without a word; the next one has the database.
      await node.database.run("INSERT INTO node (id, beat, started_at_ms) VALUES ('next', 0, 0)");
      await node.database.run("UPDATE allowance SET node_id = 'gone'");
      await node.database.run("UPDATE hold SET node_id = 'gone'");
    }
    await pass(80, [living]);
    const after = await living.billing.accounts.get(caller.account.id);
    expect([after.availableMicro, after.heldMicro]).toEqual([1_000_000n - 18n * 300n, 0n]);
    expect((await living.billing.ledger.verify()).faults).toEqual([]);
    await closeAll(nodes);
  });
});
