// Records of requests that are not kept for ever: which go, and which stay.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createRequestId } from '../../src/billing/index.js';
import { toSettlement } from '../../src/billing/books/settlement.js';
import { writeLine } from '../../src/billing/outbox/outbox.js';
import { removeUsage } from '../../src/billing/usage/remove-usage.js';
import { codeOfFailure } from '../metering/open-test-meter.js';
import { allDatabases } from '../support/test-databases.js';
import {
  newCaller,
  newRequest,
  NOON_MS,
  openTestBilling,
  PRICED,
  used,
  type TestBilling,
} from './open-test-billing.js';

afterAll(() => Promise.all(allDatabases.map((databases) => databases.close())));

const DAY_MS = 86_400_000;
/** More than one slice. */
const REQUESTS = 620;
const COST_MICRO = 700n;

/** Opens billing again so many days after the first time, and lets it do all that is due. */
async function tickAfter(test: TestBilling, days: number): Promise<void> {
  test.wall.ms = NOON_MS + days * DAY_MS;
  const billing = await test.reopen();
  await billing.tick();
}

describe.each(allDatabases)('on $name', (databases) => {
  it('records of requests are removed when they are old, and the ledger, balances and sums by day stay', async () => {
    await using test = await openTestBilling(databases, { usageDays: 31 });
    const caller = await newCaller(test.billing, 10_000_000n);
    const { account } = caller;
    const settleOne = async (): Promise<string> => {
      const createdAtMs = test.wall.ms;
      const request = newRequest(caller, { requestId: createRequestId(createdAtMs) });
      const hold = await test.billing.requests.admit(request);
      await hold.settle(used(100, 50));
      return request.requestId;
    };
    const old = await Promise.all(Array.from({ length: REQUESTS }, settleOne));
    await test.billing.tick();
    const balance = 10_000_000n - BigInt(REQUESTS) * COST_MICRO;
    const count = async (): Promise<number> =>
      (await test.billing.requests.list(account.id, { limit: 1_000 })).items.length;

    await tickAfter(test, 30);
    expect(await count()).toBe(REQUESTS);
    await tickAfter(test, 31.5);
    expect(test.entries.filter(({ event }) => event === 'usage removed')).toMatchObject([
      { count: REQUESTS, days: 31 },
    ]);
    const fresh = await settleOne();
    await test.billing.tick();
    const { requests, ledger, accounts } = test.billing;
    expect((await requests.list(account.id, {})).items.map(({ requestId }) => requestId)).toEqual([fresh]);
    expect(await codeOfFailure(() => requests.generation(account.id, old[0] ?? ''))).toBe('request_unknown');
    expect(await ledger.verify()).toMatchObject({ faults: [], groups: REQUESTS + 2 });
    expect((await accounts.get(account.id)).availableMicro).toBe(balance - COST_MICRO);
    const days = await requests.usage(account.id, { fromMs: NOON_MS - DAY_MS, toMs: NOON_MS + 60 * DAY_MS });
    expect(days.map((day) => [day.requests, day.costMicro])).toEqual([
      [REQUESTS, BigInt(REQUESTS) * COST_MICRO],
      [1, COST_MICRO],
    ]);

    // An outbox that lay aside for longer than that charges nothing a second time.
    const held = {
      ...newRequest(caller),
      requestId: old[0] ?? '',
      accountId: account.id,
      keyId: caller.key.id,
      priceVersion: PRICED.version,
      currency: PRICED.currency,
      createdAtMs: NOON_MS,
      windows: [],
      allowanceOf: undefined,
      promptTokens: 100,
      grantedTokens: 512,
      heldMicro: 0n,
    };
    const outbox = join(test.directory, 'outbox.jsonl');
    writeFileSync(outbox, writeLine(toSettlement(held, used(100, 50), NOON_MS)));
    await tickAfter(test, 31.6);
    expect((await test.billing.accounts.get(account.id)).availableMicro).toBe(balance - COST_MICRO);
    expect([existsSync(`${outbox}.refused`), test.billing.outboxDepth]).toEqual([true, 0]);
    expect((await test.billing.ledger.verify()).faults).toEqual([]);
  });

  it('records that charts have not counted stay until they have', async () => {
    await using test = await openTestBilling(databases, { usageDays: 31 });
    const caller = await newCaller(test.billing, 1_000_000n);
    await (await test.billing.requests.admit(newRequest(caller))).settle(used(100, 50));
    await test.billing.tick();
    const [{ seq = 0 } = {}] = await test.database.all('SELECT MAX(seq) AS seq FROM ledger_chain');
    // As of a node that does not keep up with counting.
    await test.database.run('UPDATE span_watermark SET seq = 0');
    const lease = { name: 'test', epoch: 1n, isHeld: () => true, release: () => Promise.resolve() };
    await test.database.run("INSERT INTO lease (name, holder, epoch, beat) VALUES ('test', 'one', 1, 0)");
    const later = { database: test.database, steadyMs: () => NOON_MS + 40 * DAY_MS, usageDays: 31 };
    expect(await removeUsage(later, lease)).toBe(0);
    await test.database.run('UPDATE span_watermark SET seq = $1', Number(seq));
    expect(await removeUsage(later, lease)).toBe(1);
  });

  it('records stay where nothing else is said, and less than a month is refused', async () => {
    await using test = await openTestBilling(databases);
    const caller = await newCaller(test.billing, 1_000_000n);
    await (await test.billing.requests.admit(newRequest(caller))).settle(used(100, 50));
    await tickAfter(test, 400);
    expect((await test.billing.requests.list(caller.account.id, {})).items).toHaveLength(1);
    expect(await codeOfFailure(() => openTestBilling(databases, { usageDays: 30 }))).toBe('invalid_value');
  });
});
