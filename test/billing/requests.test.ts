// Costs and reservations of requests, over every database.
import { afterAll, describe, expect, it } from 'vitest';
import { createRequestId, type LedgerGroup } from '../../src/billing/index.js';
import { present } from '../../src/base/index.js';
import { allDatabases } from '../support/test-databases.js';
import { codeOfFailure } from '../metering/open-test-meter.js';
import { newCaller, newRequest, NOON_MS, openTestBilling, PRICE, used } from './open-test-billing.js';

afterAll(() => Promise.all(allDatabases.map((databases) => databases.close())));

describe.each(allDatabases)('paid requests on $name', (databases) => {
  it('reserve the bound of the prompt and a slice, and are charged what they used', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const caller = await newCaller(billing, 1_000_000n);
    const hold = await billing.requests.admit(newRequest(caller));
    expect(hold.grantedTokens).toBe(512);
    // 100 × 2,000 and 512 × 10,000 nano-units.
    const held = await billing.accounts.get(caller.account.id);
    expect([held.availableMicro, held.heldMicro]).toEqual([994_680n, 5_320n]);
    await hold.settle(used(90, 33, { cachedTokens: 40, reasoningTokens: 10 }));
    const after = await billing.accounts.get(caller.account.id);
    // 50 × 2,000 + 40 × 1,000 + 33 × 10,000.
    expect([after.availableMicro, after.heldMicro]).toEqual([999_530n, 0n]);
    expect(await billing.requests.generation(caller.account.id, hold.requestId)).toMatchObject({
      state: 'settled',
      costMicro: 470n,
      cachedTokens: 40,
      reasoningTokens: 10,
      priceVersion: 1,
      status: 200,
    });
    await hold.settle(used(90, 33_000));
    expect((await billing.accounts.get(caller.account.id)).availableMicro).toBe(999_530n);
    await billing.tick();
    expect(await billing.ledger.verify()).toEqual({ groups: 2, entries: 4, faults: [] });
  });

  it('cost what their price says of tokens that were put into a cache, and as other input where it says nothing', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const caller = await newCaller(billing, 1_000_000n);
    const counts = { cachedTokens: 40, cacheWriteTokens: 20 };
    const plain = await billing.requests.admit(newRequest(caller));
    await plain.settle(used(90, 33, counts));
    await billing.prices.add([PRICE], 'test');
    await billing.prices.add([{ ...PRICE, cacheWriteNano: 2_500n }], 'test');
    const price = await billing.prices.current(PRICE.provider, PRICE.model, NOON_MS);
    expect(price).toMatchObject({ version: 2, inputNano: 2_000n, cacheWriteNano: 2_500n });
    const dearer = await billing.requests.admit(newRequest(caller, { price: present(price, 'it was added') }));
    // The reservation assumes the dearest of the three: 100 × 2,500 and 512 × 10,000.
    expect((await billing.accounts.get(caller.account.id)).heldMicro).toBe(5_370n);
    await dearer.settle(used(90, 33, counts));
    const generations = [plain, dearer].map(({ requestId }) =>
      billing.requests.generation(caller.account.id, requestId),
    );
    // 50 × 2,000 + 40 × 1,000 + 33 × 10,000, and of the 50 now 20 × 2,500.
    expect(await Promise.all(generations)).toMatchObject([
      { costMicro: 470n, cacheWriteTokens: 20, priceVersion: 1 },
      { costMicro: 480n, cacheWriteTokens: 20, priceVersion: 2 },
    ]);
    await billing.tick();
    const sums = await billing.requests.usage(caller.account.id, { fromMs: NOON_MS, toMs: NOON_MS + 1 });
    expect(sums).toMatchObject([{ promptTokens: 180n, cachedTokens: 80n, cacheWriteTokens: 40n, costMicro: 950n }]);
    // Written as what it was: more cannot be written than was not read.
    const odd = await billing.requests.admit(newRequest(caller));
    await odd.settle(used(10, 1, { cachedTokens: 8, cacheWriteTokens: 9 }));
    expect(await billing.requests.generation(caller.account.id, odd.requestId)).toMatchObject({ cacheWriteTokens: 2 });
    // Importing it again adds nothing, and leaving it out is a change.
    expect(await billing.prices.add([{ ...PRICE, cacheWriteNano: 2_500n }], 'test')).toBe(0);
    expect(await billing.prices.add([PRICE], 'test')).toBe(1);
  });

  it('grow by slices ahead of the answer, and as far as the money goes', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const caller = await newCaller(billing, 10_000n);
    const hold = await billing.requests.admit(newRequest(caller, { promptTokensBound: 0 }));
    expect(await hold.allow(1)).toBe(true);
    expect(await hold.allow(700)).toBe(true);
    expect(hold.grantedTokens).toBe(1000);
    expect(await hold.allow(1001)).toBe(false);
    expect(await codeOfFailure(() => billing.requests.admit(newRequest(caller)))).toBe('insufficient_credit');
    await hold.settle(used(0, 1000));
    expect(await billing.accounts.get(caller.account.id)).toMatchObject({ availableMicro: 0n, heldMicro: 0n });
  });

  it('reserve what there is where that is less than a slice, and nothing below one token', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const caller = await newCaller(billing, 220n);
    const hold = await billing.requests.admit(newRequest(caller));
    expect(hold.grantedTokens).toBe(2);
    await hold.settle(used(100, 1));
    expect(await codeOfFailure(() => billing.requests.admit(newRequest(caller)))).toBe('insufficient_credit');
    expect((await billing.accounts.get(caller.account.id)).availableMicro).toBe(10n);
  });

  it('that cannot be cut are reserved to their bound or refused', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const caller = await newCaller(billing, 10_000n);
    const whole = { isWhole: true, promptTokensBound: 0 };
    const refused = () => billing.requests.admit(newRequest(caller, { ...whole, outputTokensBound: 1001 }));
    expect(await codeOfFailure(refused)).toBe('insufficient_credit');
    const hold = await billing.requests.admit(newRequest(caller, { ...whole, outputTokensBound: 900 }));
    expect(hold.grantedTokens).toBe(900);
    await hold.settle(used(0, 10));
    // Without a stated bound it gets as much as there is.
    const unbound = await billing.requests.admit(newRequest(caller, whole));
    expect(unbound.grantedTokens).toBe(990);
    await unbound.settle(used(0, 1));
  });

  it('are charged beyond their reservation as far as the account goes, and the rest is recorded', async () => {
    await using test = await openTestBilling(databases);
    const { billing, entries } = test;
    const caller = await newCaller(billing, 10_000n);
    const hold = await billing.requests.admit(newRequest(caller, { promptTokensBound: 0, outputTokensBound: 10 }));
    await hold.settle(used(0, 3_000));
    expect(await billing.accounts.get(caller.account.id)).toMatchObject({ availableMicro: 0n, heldMicro: 0n });
    expect(entries).toContainEqual(expect.objectContaining({ event: 'uncharged', unchargedMicro: '20000' }));
    await billing.tick();
    expect((await billing.ledger.verify()).faults).toEqual([]);
  });

  it('that failed before their first byte are voided and cost nothing', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const caller = await newCaller(billing, 10_000n);
    const hold = await billing.requests.admit(newRequest(caller));
    await hold.settle(used(100, 0, { began: false, status: 502, end: 'failed' }));
    expect(await billing.accounts.get(caller.account.id)).toMatchObject({ availableMicro: 10_000n, heldMicro: 0n });
    expect(await billing.requests.generation(caller.account.id, hold.requestId)).toMatchObject({
      state: 'voided',
      costMicro: 0n,
      promptTokens: 0,
    });
  });

  it('with an Idempotency-Key go once in 24 hours, unless the first was voided', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const caller = await newCaller(billing, 1_000_000n);
    const idempotencyKey = 'order-1';
    const first = await billing.requests.admit(newRequest(caller, { idempotencyKey }));
    const again = () => billing.requests.admit(newRequest(caller, { idempotencyKey }));
    await expect(again()).rejects.toMatchObject({
      code: 'idempotency_key_used',
      details: { requestId: first.requestId, state: 'running' },
    });
    await first.settle(used(0, 0, { began: false }));
    const second = await again();
    await second.settle(used(10, 10));
    await expect(again()).rejects.toMatchObject({ details: { requestId: second.requestId, state: 'settled' } });
    // Two of one moment: one goes.
    const both = [1, 2].map(() =>
      codeOfFailure(() => billing.requests.admit(newRequest(caller, { idempotencyKey: 'b' }))),
    );
    expect(new Set(await Promise.all(both))).toEqual(new Set(['idempotency_key_used', undefined]));
    test.clock.sleep(86_400_000);
    await (await again()).settle(used(1, 1));
    // Of another account it is another key.
    const other = await newCaller(billing, 1_000_000n);
    await (await billing.requests.admit(newRequest(other, { idempotencyKey }))).settle(used(1, 1));
  });

  it('that a nearly empty account sends at once, a thousand of them, never overspend', async () => {
    await using test = await openTestBilling(databases, { sliceTokens: 8 });
    const { billing } = test;
    // Each reserves 80 micro-units at first: there is money for ten, and a rest.
    const caller = await newCaller(billing, 805n);
    const sent = Array.from({ length: 1000 }, async () => {
      const request = newRequest(caller, { promptTokensBound: 0, outputTokensBound: 8 });
      const hold = await billing.requests.admit(request).catch(() => undefined);
      return hold;
    });
    const holds = (await Promise.all(sent)).filter((hold) => hold !== undefined);
    expect(holds).toHaveLength(10);
    expect((await billing.accounts.get(caller.account.id)).availableMicro).toBe(5n);
    await Promise.all(holds.map((hold) => hold.settle(used(0, 8))));
    expect(await billing.accounts.get(caller.account.id)).toMatchObject({ availableMicro: 5n, heldMicro: 0n });
    await billing.tick();
    expect((await billing.ledger.verify()).faults).toEqual([]);
  });

  it('are limited by the budgets of their key, and by those alone', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const budgets = [{ amountMicro: 1_000n, window: 'day' as const }];
    const caller = await newCaller(billing, 1_000_000n, { budgets });
    const hold = await billing.requests.admit(newRequest(caller, { promptTokensBound: 0 }));
    expect(hold.grantedTokens).toBe(100);
    expect(await codeOfFailure(() => billing.requests.admit(newRequest(caller)))).toBe('budget_exceeded');
    await hold.settle(used(0, 40));
    const next = await billing.requests.admit(newRequest(caller, { promptTokensBound: 0 }));
    expect(next.grantedTokens).toBe(60);
    await next.settle(used(0, 60));
    expect(await codeOfFailure(() => billing.requests.admit(newRequest(caller)))).toBe('budget_exceeded');
    test.clock.sleep(86_400_000);
    await (await billing.requests.admit(newRequest(caller))).settle(used(1, 1));
  });

  it('are limited by requests and tokens a minute and by how many run', async () => {
    await using test = await openTestBilling(databases);
    const { billing, clock } = test;
    const caller = await newCaller(billing, 1_000_000n, { requestsPerMinute: 3, parallelRequests: 2 });
    const admit = () => billing.requests.admit(newRequest(caller));
    const [first, second] = [await admit(), await admit()];
    await expect(admit()).rejects.toMatchObject({ details: { limit: 'parallel_requests' } });
    await first.settle(used(1, 1));
    const third = await admit();
    await second.settle(used(1, 1));
    await third.settle(used(1, 1));
    await expect(admit()).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      details: { limit: 'requests_per_minute' },
    });
    clock.sleep(61_000);
    await (await admit()).settle(used(1, 1));
    const counted = await newCaller(billing, 1_000_000n, { tokensPerMinute: 1_000 });
    const hold = await billing.requests.admit(newRequest(counted));
    const more = () => billing.requests.admit(newRequest(counted));
    await expect(more()).rejects.toMatchObject({ details: { limit: 'tokens_per_minute' } });
    await hold.settle(used(1, 1));
    await (await more()).settle(used(1, 1));
  });

  it('in another currency, of a suspended account, or with an id that was used, are refused', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const caller = await newCaller(billing, 1_000_000n);
    const price = { ...PRICE, version: 1, currency: 'USD' };
    const code = (more: object) => codeOfFailure(() => billing.requests.admit(newRequest(caller, more)));
    expect(await code({ price })).toBe('currency_mismatch');
    const requestId = createRequestId(NOON_MS);
    await (await billing.requests.admit(newRequest(caller, { requestId }))).settle(used(1, 1));
    expect(await code({ requestId })).toBe('request_id_used');
    for (const more of [{ promptTokensBound: -1 }, { promptTokensBound: 2 ** 32 }, { outputTokensBound: 0.5 }])
      expect(await code(more)).toBe('invalid_value');
    expect(await code({ idempotencyKey: 'ö' })).toBe('invalid_value');
    await billing.accounts.setState(caller.account.id, 'suspended', 'test');
    expect(await code({})).toBe('account_suspended');
    expect((await billing.accounts.get(caller.account.id)).heldMicro).toBe(0n);
  });

  it('outlive jumps of the clock, and end when they run longer than any may', async () => {
    await using test = await openTestBilling(databases);
    const { billing, wall, clock } = test;
    const caller = await newCaller(billing, 1_000_000n);
    const hold = await billing.requests.admit(newRequest(caller));
    for (const jump of [7_200_000, -14_400_000]) {
      wall.ms += jump;
      await billing.tick();
      expect((await billing.accounts.get(caller.account.id)).heldMicro).toBe(5_320n);
    }
    clock.sleep(3_600_000 + 300_001);
    await billing.tick();
    expect((await billing.accounts.get(caller.account.id)).heldMicro).toBe(0n);
    // The hold is not extended any more, and its usage is charged all the same.
    expect(await hold.allow(600)).toBe(false);
    await hold.settle(used(100, 512));
    expect(await billing.requests.generation(caller.account.id, hold.requestId)).toMatchObject({
      state: 'settled',
      costMicro: 5_320n,
    });
    expect(billing.counts).toMatchObject({ settled: 1, late: 1, open: 0, nodes: 1 });
    await billing.tick();
    expect((await billing.ledger.verify()).faults).toEqual([]);
  });

  it('whose hold came to be after their admission was given up leave none', async () => {
    await using test = await openTestBilling(databases);
    const { billing, database } = test;
    const caller = await newCaller(billing, 1_000_000n);
    const hold = await billing.requests.admit(newRequest(caller));
    const columns = await database.get('SELECT * FROM hold WHERE request_id = $1', hold.requestId);
    const names = Object.keys(columns ?? {})
      .filter((name) => name !== 'request_id')
      .join(', ');
    await database.transaction(async (queries) => {
      await queries.run(`INSERT INTO hold (request_id, ${names}) SELECT 'given-up', ${names} FROM hold`);
      const take =
        'UPDATE account SET available_micro = available_micro - 5320, held_micro = held_micro + 5320 WHERE id = $1';
      await queries.run(take, caller.account.id);
    });
    for (let i = 0; i < 2; i++) await billing.tick();
    expect((await billing.accounts.get(caller.account.id)).heldMicro).toBe(5_320n);
    await hold.settle(used(1, 1));
    expect((await billing.accounts.get(caller.account.id)).heldMicro).toBe(0n);
    await billing.tick();
    expect((await billing.ledger.verify()).faults).toEqual([]);
  });

  it('that ended hold nothing, whatever row is left of them', async () => {
    await using test = await openTestBilling(databases);
    const { billing, database } = test;
    const caller = await newCaller(billing, 1_000_000n);
    const hold = await billing.requests.admit(newRequest(caller));
    const row = await database.get('SELECT * FROM hold');
    const names = Object.keys(row ?? {});
    await hold.settle(used(100, 10));
    const places = names.map((_, i) => `$${i + 1}`).join(', ');
    await database.run(`INSERT INTO hold (${names.join(', ')}) VALUES (${places})`, ...Object.values(row ?? {}));
    const take = 'UPDATE account SET available_micro = available_micro - 5320, held_micro = held_micro + 5320';
    await database.run(take);
    for (let i = 0; i < 2; i++) await billing.tick();
    expect(await billing.accounts.get(caller.account.id)).toMatchObject({ availableMicro: 999_700n, heldMicro: 0n });
    expect((await billing.ledger.verify()).faults).toEqual([]);
  });

  it('are found by their account, its usage is summed by day, and another account sees none of it', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const caller = await newCaller(billing, 1_000_000n);
    const other = await newCaller(billing, 1_000_000n);
    for (let i = 0; i < 5; i++) {
      test.clock.sleep(10);
      await (await billing.requests.admit(newRequest(caller, { provider: 'pgw/acme' }))).settle(used(100, 20));
    }
    await (await billing.requests.admit(newRequest(other))).settle(used(1, 1));
    await billing.tick();
    const { id } = caller.account;
    const first = await billing.requests.list(id, { limit: 3 });
    const rest = await billing.requests.list(id, { limit: 3, ...(first.next !== undefined && { cursor: first.next }) });
    expect([...first.items, ...rest.items].map(({ costMicro }) => costMicro)).toEqual([400n, 400n, 400n, 400n, 400n]);
    expect(rest.next).toBeUndefined();
    expect(await billing.requests.usage(id, { fromMs: NOON_MS, toMs: NOON_MS + 1 })).toMatchObject([
      { dayMs: Date.UTC(2026, 10, 26), provider: 'pgw/acme', requests: 5, promptTokens: 500n, costMicro: 2000n },
    ]);
    const [one] = first.items;
    const theirs = () => billing.requests.generation(other.account.id, one?.requestId ?? '');
    expect(await codeOfFailure(theirs)).toBe('request_unknown');
    // A cursor of one list opens no other one, nor does one that was changed.
    const cursor = first.next ?? '';
    expect(await codeOfFailure(() => billing.requests.list(other.account.id, { cursor }))).toBe('invalid_value');
    const changed = `A${cursor.slice(1)}`;
    expect(await codeOfFailure(() => billing.requests.list(id, { cursor: changed }))).toBe('invalid_value');
    const groups: LedgerGroup[] = [];
    for await (const group of billing.ledger.export({})) groups.push(group);
    const sum = (name: string): bigint =>
      groups
        .flatMap(({ entries }) => entries)
        .reduce((total, e) => total + (e.account === name ? e.amountMicro : 0n), 0n);
    expect([sum('revenue'), sum('memo:pgw/acme'), sum(`account:${id}`)]).toEqual([2012n, 2000n, 998_000n]);
  });
});
