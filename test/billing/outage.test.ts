// PostgreSQL goes away under load and comes back: no usage is lost, nothing is charged twice, and what must be refused is.
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeLine } from '../../src/billing/outbox/outbox.js';
import { codeOfFailure } from '../metering/open-test-meter.js';
import { noPostgres, postgresDatabases, sqlites } from '../support/test-databases.js';
import { newCaller, newRequest, openTestBilling, used, type TestBilling } from './open-test-billing.js';
import { eventually } from '../support/eventually.js';

const databases = postgresDatabases(true);
afterAll(() => Promise.all([databases.close(), ...sqlites.map((one) => one.close())]));

/** Moves on until the database is asked again, and lets the timers run. */
async function turn({ billing, clock }: TestBilling): Promise<void> {
  clock.sleep(2_000);
  await billing.tick();
}

describe.skipIf(noPostgres !== undefined)(`while PostgreSQL is away (${noPostgres ?? 'here'})`, () => {
  it('settlements wait on the disk, streams go on a little, and keys are known for a minute', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const server = await databases.server();
    const caller = await newCaller(billing, 1_000_000n);
    const holds = await Promise.all(Array.from({ length: 20 }, () => billing.requests.admit(newRequest(caller))));
    const [stream] = holds;
    await server.halt('crash');
    // Refused requests leave nothing on the disk.
    for (let i = 0; i < 50; i++)
      expect(await codeOfFailure(() => billing.requests.admit(newRequest(caller)))).toBe('database_unavailable');
    expect(billing.outboxDepth).toBe(0);
    // Past its slice, on trust; and no further than that.
    expect(await stream?.allow(2_000)).toBe(true);
    expect(await codeOfFailure(async () => stream?.allow(20_000))).toBe('database_unavailable');
    await Promise.all(holds.map((hold) => hold.settle(used(100, 100))));
    expect(billing.outboxDepth).toBe(20);
    test.clock.sleep(50_000);
    expect((await billing.keys.authenticate(caller.secret)).key.id).toBe(caller.key.id);
    test.clock.sleep(11_000);
    expect(await codeOfFailure(() => billing.keys.authenticate(caller.secret))).toBe('database_unavailable');
    await turn(test);
    expect(billing.outboxDepth).toBe(20);
    await server.start();
    await turn(test);
    expect(billing.outboxDepth).toBe(0);
    expect(statSync(join(test.directory, 'outbox.jsonl')).size).toBe(0);
    const account = await billing.accounts.get(caller.account.id);
    expect([account.availableMicro, account.heldMicro]).toEqual([1_000_000n - 20n * 1_200n, 0n]);
    await turn(test);
    expect((await billing.ledger.verify()).faults).toEqual([]);
  });

  it('three restarts under load lose nothing and charge nothing twice', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const server = await databases.server();
    const caller = await newCaller(billing, 100_000_000n);
    let [sent, isDone] = [0, false];
    const client = async (): Promise<void> => {
      while (!isDone) {
        const hold = await billing.requests.admit(newRequest(caller)).catch(() => undefined);
        if (hold === undefined) {
          test.clock.sleep(100);
          await new Promise((resolve) => setTimeout(resolve, 5));
          continue;
        }
        sent++;
        await hold.settle(used(100, 50));
      }
    };
    const clients = Array.from({ length: 8 }, client);
    const goOn = async (): Promise<void> => {
      const before = sent;
      await eventually(() => sent).toBeGreaterThan(before + 50);
    };
    for (const how of ['fast', 'crash', 'fast'] as const) {
      await goOn();
      await server.halt(how);
      // Long enough that every client finds it away.
      await new Promise((resolve) => setTimeout(resolve, 200));
      await server.start();
    }
    await goOn();
    isDone = true;
    await Promise.all(clients);
    for (let i = 0; i < 5; i++) await turn(test);
    const account = await billing.accounts.get(caller.account.id);
    expect(sent).toBeGreaterThan(50);
    expect([account.availableMicro, account.heldMicro]).toEqual([100_000_000n - BigInt(sent) * 700n, 0n]);
    expect((await billing.ledger.verify()).faults).toEqual([]);
  });
});

it('an outbox is one process’s', async () => {
  const [sqlite] = sqlites;
  if (sqlite === undefined) throw new Error('there is an SQLite');
  await using test = await openTestBilling(sqlite);
  const { directory } = test;
  await expect(openTestBilling(sqlite, { directory })).rejects.toMatchObject({
    code: 'outbox_unusable',
    details: { pid: process.pid },
  });
});

describe.each(sqlites.slice(0, 1))('an outbox that a dead node left, on $name', (sqlite) => {
  it('is replayed once, without its torn end and with a damaged line kept aside', async () => {
    await using test = await openTestBilling(sqlite);
    const caller = await newCaller(test.billing, 1_000_000n);
    const hold = await test.billing.requests.admit(newRequest(caller));
    const path = join(test.directory, 'outbox.jsonl');
    await test.billing[Symbol.asyncDispose]();
    const settlement = {
      requestId: hold.requestId,
      accountId: caller.account.id,
      keyId: caller.key.id,
      provider: 'openai',
      model: 'gpt-5',
      priceVersion: 1,
      currency: 'EUR',
      windows: [],
      state: 'settled' as const,
      createdAtMs: 1,
      endedAtMs: 2,
      promptTokens: 100,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      completionTokens: 50,
      reasoningTokens: 0,
      images: 0,
      audios: 0,
      isEstimated: false,
      costMicro: 700n,
      status: 200,
      durationMs: 1,
      firstByteMs: 1,
      end: 'whole' as const,
    };
    const line = writeLine(settlement);
    writeFileSync(path, `${line}${line.replace('700n', '100n')}${line}`);
    appendFileSync(path, line.slice(0, 40));
    // The node has died in the middle of its requests: its hold is voided, and its usage comes after all.
    const billing = await test.reopen();
    expect(await billing.requests.generation(caller.account.id, hold.requestId)).toMatchObject({
      state: 'settled',
      costMicro: 700n,
    });
    expect(await billing.accounts.get(caller.account.id)).toMatchObject({ availableMicro: 999_300n, heldMicro: 0n });
    expect(statSync(path).size).toBe(0);
    expect(readFileSync(`${path}.damaged`, 'utf8')).toContain('100n');
    expect(test.entries).toContainEqual(expect.objectContaining({ event: 'outbox damaged', lines: 1 }));
    await billing.tick();
    expect((await billing.ledger.verify()).faults).toEqual([]);
  });
});
