// Rotated secrets of keys, and statements, over every database.
import { afterAll, describe, expect, it } from 'vitest';
import { codeOfFailure } from '../metering/open-test-meter.js';
import { allDatabases } from '../support/test-databases.js';
import { newCaller, newRequest, NOON_MS, openTestBilling, PRICE, used } from './open-test-billing.js';

afterAll(() => Promise.all(allDatabases.map((databases) => databases.close())));

const DAY_MS = 86_400_000;

/** A sum of counts, of the kind that they have. */
function addUp(counts: readonly (number | bigint)[]): number | bigint {
  const sum = counts.reduce<bigint>((total, count) => total + BigInt(count), 0n);
  return typeof counts[0] === 'bigint' ? sum : Number(sum);
}

describe.each(allDatabases)('a rotation on $name', (databases) => {
  it('with a grace takes the secret before until its end, and tells of that one alone', async () => {
    await using test = await openTestBilling(databases);
    const { billing, clock } = test;
    const { key, secret: first } = await newCaller(billing, 0n);
    const ended: unknown[] = [];
    billing.keys.onEnded((id, hash) => void ended.push([id, hash]));
    const { secret: second, key: rotated } = await billing.keys.rotate(key.id, 60_000, 'test');
    expect(rotated).toEqual({ ...key, prefix: second.slice(0, 10) });
    clock.sleep(30_001);
    const [old, now] = [await billing.keys.authenticate(first), await billing.keys.authenticate(second)];
    expect([old.key.id, old.graceUntilMs, now.graceUntilMs]).toEqual([key.id, NOON_MS + 60_000, undefined]);
    expect(old.secretHash).not.toBe(now.secretHash);
    expect(ended).toEqual([]);
    clock.sleep(30_000);
    expect(await codeOfFailure(() => billing.keys.authenticate(first))).toBe('invalid_api_key');
    await billing.tick();
    expect(ended).toEqual([[key.id, old.secretHash]]);
    expect((await billing.keys.authenticate(second)).key.id).toBe(key.id);
    const { items } = await billing.audit.list({ limit: 1 });
    expect(items).toMatchObject([{ action: 'key.rotate', target: `key:${key.id}` }]);
    expect(JSON.parse(items[0]?.diff ?? '')).toMatchObject({
      name: key.name,
      before: { prefix: first.slice(0, 10) },
      after: { prefix: second.slice(0, 10) },
      grace_s: 60,
      ended_secrets: 0,
    });
  });

  it('with no grace ends every older secret at once, those in a grace too, and not the new one', async () => {
    await using test = await openTestBilling(databases);
    const { billing, clock } = test;
    const { key, secret: first } = await newCaller(billing, 0n);
    const { secret: second } = await billing.keys.rotate(key.id, DAY_MS, 'test');
    await Promise.all([first, second].map((secret) => billing.keys.authenticate(secret)));
    const ended: (string | undefined)[] = [];
    billing.keys.onEnded((_, hash) => void ended.push(hash));
    const { secret: third } = await billing.keys.rotate(key.id, 0, 'test');
    const newest = await billing.keys.authenticate(third);
    // A listener of PostgreSQL gets the notice within moments; without it a tick finds the keys.
    await billing.tick();
    await expect.poll(() => ended.length).toBe(2);
    expect(ended).not.toContain(newest.secretHash);
    for (const secret of [first, second])
      expect(await codeOfFailure(() => billing.keys.authenticate(secret))).toBe('invalid_api_key');
    clock.sleep(30_001);
    await billing.tick();
    expect((await billing.keys.authenticate(third)).key.id).toBe(key.id);
    expect(ended).toHaveLength(2);
  });

  it('is refused for another account, for graces that are none, and for more older secrets than eight', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const [one, other] = [await newCaller(billing, 0n), await newCaller(billing, 0n)];
    const rotate = (graceMs: number, accountId?: string, id = one.key.id) =>
      codeOfFailure(() => billing.keys.rotate(id, graceMs, 'test', accountId));
    expect(await rotate(0, other.account.id)).toBe('account_key_unknown');
    expect(await rotate(0, undefined, 'none')).toBe('account_key_unknown');
    for (const graceMs of [-1, 0.5, 31 * DAY_MS, Number.NaN]) expect(await rotate(graceMs)).toBe('invalid_value');
    expect((await billing.keys.authenticate(one.secret)).key.id).toBe(one.key.id);
    for (let i = 0; i < 8; i++) expect(await rotate(DAY_MS, one.account.id)).toBeUndefined();
    expect(await rotate(DAY_MS)).toBe('invalid_value');
    expect(await rotate(0)).toBeUndefined();
    expect(await rotate(DAY_MS)).toBeUndefined();
  });
});

describe.each(allDatabases)('a statement on $name', (databases) => {
  it('has payments and refunds of its days by pages, and sums that lead from one balance to the other', async () => {
    await using test = await openTestBilling(databases);
    const { billing, wall } = test;
    const caller = await newCaller(billing, 5_000_000n);
    const other = await newCaller(billing, 7_000_000n);
    const { id } = caller.account;
    await billing.prices.add([PRICE], 'test');
    const spend = async (): Promise<void> => {
      const hold = await billing.requests.admit(newRequest(caller));
      await hold.settle(used(100, 10));
      await billing.tick();
    };
    await spend();
    wall.ms += 2 * DAY_MS;
    for (const [i, amountMicro] of [1_000_000n, -250_000n, 3_000_000n].entries())
      await billing.accounts.credit(id, { amountMicro, reference: `p ${i}`, note: i === 1 ? 'returned' : '' }, 'test');
    await billing.accounts.credit(other.account.id, { amountMicro: 1n, reference: 'p 0' }, 'test');
    await spend();
    const day = Date.UTC(2026, 10, 28);
    const range = { fromMs: day, toMs: day + DAY_MS };
    const first = await billing.accounts.payments(id, { ...range, limit: 2 });
    const rest = await billing.accounts.payments(id, { ...range, limit: 2, cursor: first.next ?? '' });
    const all = [...first.items, ...rest.items];
    expect(all.map(({ amountMicro }) => amountMicro).toSorted((a, b) => Number(a - b))).toEqual([
      -250_000n,
      1_000_000n,
      3_000_000n,
    ]);
    expect(all.find(({ amountMicro }) => amountMicro < 0n)).toMatchObject({ reference: 'p 1', note: 'returned' });
    expect(rest.next).toBeUndefined();
    // 100 tokens of 2,000 and 10 of 10,000 nano-units, twice.
    const sums = await billing.accounts.movements(id, range);
    expect(sums).toEqual({
      openingMicro: 4_999_700n,
      paidMicro: 4_000_000n,
      refundedMicro: -250_000n,
      usedMicro: 300n,
      closingMicro: 8_749_400n,
    });
    const { availableMicro, heldMicro } = await billing.accounts.get(id);
    expect(availableMicro + heldMicro).toBe(sums.closingMicro);
    const before = await billing.accounts.movements(id, { fromMs: day - 2 * DAY_MS, toMs: day });
    expect([before.openingMicro, before.closingMicro]).toEqual([0n, sums.openingMicro]);
    const cursor = first.next ?? '';
    const theirs = () => billing.accounts.payments(other.account.id, { ...range, limit: 2, cursor });
    expect(await codeOfFailure(theirs)).toBe('invalid_value');
    expect(await codeOfFailure(() => billing.accounts.payments('none', {}))).toBe('account_unknown');
  });

  it('and usage of all accounts is summed by what is asked for, the dearest first', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    await billing.prices.add([PRICE], 'test');
    const [one, two] = [await newCaller(billing, 5_000_000n), await newCaller(billing, 5_000_000n)];
    for (const [caller, tokens] of [
      [one, 10],
      [two, 20],
      [two, 30],
    ] as const) {
      const hold = await billing.requests.admit(newRequest(caller));
      await hold.settle(used(0, tokens));
    }
    await billing.tick();
    const range = { fromMs: NOON_MS, toMs: NOON_MS + 1 };
    const sums = await billing.requests.usage(undefined, { ...range, groups: ['account'] });
    expect(
      sums.map(({ accountId, accountName, requests, costMicro }) => [accountId, accountName, requests, costMicro]),
    ).toEqual([
      [two.account.id, 'Acme', 2, 500n],
      [one.account.id, 'Acme', 1, 100n],
    ]);
    const keys = await billing.requests.usage(two.account.id, { ...range, groups: ['key'] });
    expect(keys).toMatchObject([{ keyId: two.key.id, keyName: 'first', currency: 'EUR', requests: 2 }]);
    const whole = await billing.requests.usage(undefined, { ...range, groups: [] });
    expect(whole).toMatchObject([{ currency: 'EUR', requests: 3, completionTokens: 60n }]);
    // The sums that are kept of all accounts are those of each account, added up.
    const groups = ['day', 'provider', 'model'] as const;
    const parts = await billing.requests.usage(undefined, { ...range, groups: ['account', ...groups] });
    const kept = await billing.requests.usage(undefined, { ...range, groups });
    expect(parts).toHaveLength(2);
    expect(kept).toMatchObject([{ dayMs: parts[0]?.dayMs, model: parts[0]?.model, provider: parts[0]?.provider }]);
    for (const count of ['requests', 'promptTokens', 'completionTokens', 'costMicro'] as const)
      expect([count, kept[0]?.[count]]).toEqual([count, addUp(parts.map((part) => part[count]))]);
    const ofAccounts = await billing.requests.usage(undefined, { ...range, groups: ['account', 'day'] });
    const ofModels = await billing.requests.usage(undefined, { ...range, groups: ['account', 'day', 'model'] });
    expect(ofModels).toMatchObject(ofAccounts);
    expect(ofModels).toHaveLength(ofAccounts.length);
    const all = await billing.requests.list(undefined, { limit: 2 });
    const rest = await billing.requests.list(undefined, { limit: 2, cursor: all.next ?? '' });
    expect([...all.items, ...rest.items]).toHaveLength(3);
    const his = await billing.requests.list(undefined, { keyId: one.key.id, state: 'settled', isFailed: false });
    expect(his.items).toMatchObject([{ accountId: one.account.id, accountName: 'Acme', keyName: 'first' }]);
    expect((await billing.requests.list(undefined, { isFailed: true })).items).toEqual([]);
  });
});
