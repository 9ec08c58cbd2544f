// Keys and prices, over every database.
import { afterAll, describe, expect, it } from 'vitest';
import { mayUse, type NewPrice } from '../../src/billing/index.js';
import { createKeySecret } from '../../src/metering/index.js';
import { codeOfFailure } from '../metering/open-test-meter.js';
import { allDatabases } from '../support/test-databases.js';
import { newCaller, NOON_MS, openTestBilling, PRICE, PRICED } from './open-test-billing.js';

afterAll(() => Promise.all(allDatabases.map((databases) => databases.close())));

const NO_LIMITS = { budgets: [], models: null };

describe.each(allDatabases)('keys on $name', (databases) => {
  it('are shown once, kept as an HMAC, and tell who they are of', async () => {
    await using test = await openTestBilling(databases);
    const { billing, database } = test;
    const caller = await newCaller(billing, 0n, {
      requestsPerMinute: 5,
      budgets: [{ amountMicro: 10n ** 15n, window: 'month' }],
      models: ['openai', 'pgw/acme/*'],
    });
    expect(caller.secret).toMatch(/^hak_[0-9A-Za-z]{6}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(caller.key).toMatchObject({
      prefix: caller.secret.slice(0, 10),
      state: 'active',
      accountId: caller.account.id,
    });
    expect(caller.key.limits).toEqual({
      requestsPerMinute: 5,
      budgets: [{ amountMicro: 10n ** 15n, window: 'month' }],
      models: ['openai', 'pgw/acme/*'],
    });
    // No column of any table has the secret.
    for (const table of ['account_key', 'audit_entry']) {
      const rows = await database.all(`SELECT * FROM ${table}`);
      const text = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
      expect(text.includes(caller.secret.slice(11))).toBe(false);
    }
    expect((await billing.keys.list(caller.account.id, {})).items).toEqual([caller.key]);
  });

  it('that are missing, mistyped, unknown, disabled, expired or of a suspended account are refused', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const { account, key, secret } = await newCaller(billing, 0n);
    const code = (text: string | undefined) => codeOfFailure(() => billing.keys.authenticate(text));
    expect(await code(undefined)).toBe('missing_api_key');
    expect(await code(`${secret}x`)).toBe('invalid_api_key');
    expect(await code(createKeySecret('hak').secret)).toBe('invalid_api_key');
    expect(await code(createKeySecret('gwk').secret)).toBe('invalid_api_key');
    const expiresAtMs = NOON_MS + 60_000;
    const brief = await billing.keys.create(account.id, { name: 'brief', limits: NO_LIMITS, expiresAtMs }, 'test');
    expect(await code(brief.secret)).toBeUndefined();
    const ended: string[] = [];
    billing.keys.onEnded((id) => void ended.push(id));
    test.clock.sleep(60_001);
    expect(await code(brief.secret)).toBe('expired_key');
    await billing.tick();
    expect(ended).toEqual([brief.key.id]);
    await billing.keys.setState(key.id, 'disabled', 'test');
    if (databases.name !== 'PostgreSQL') expect(ended).toContain(key.id);
    // A listener of PostgreSQL gets the notice within a moment; a cached answer expires by itself.
    test.clock.sleep(30_001);
    expect(await code(secret)).toBe('invalid_api_key');
    await billing.keys.setState(key.id, 'active', 'test');
    test.clock.sleep(30_001);
    expect(await code(secret)).toBeUndefined();
    await billing.accounts.setState(account.id, 'suspended', 'test');
    test.clock.sleep(30_001);
    expect(await code(secret)).toBe('account_suspended');
  });

  it('of another account are as if they were not there', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const [one, other] = [await newCaller(billing, 0n), await newCaller(billing, 0n)];
    const change = (id: string, accountId?: string) =>
      codeOfFailure(() => billing.keys.setState(id, 'disabled', 'test', accountId));
    expect(await change(one.key.id, other.account.id)).toBe('account_key_unknown');
    expect(await change(`${one.key.id}\0`, other.account.id)).toBe('account_key_unknown');
    expect(await change('none')).toBe('account_key_unknown');
    expect(await change(one.key.id, one.account.id)).toBeUndefined();
    expect((await billing.keys.list(other.account.id, {})).items.map(({ id }) => id)).toEqual([other.key.id]);
    for (let i = 0; i < 3; i++) await billing.keys.create(one.account.id, { name: `k${i}`, limits: NO_LIMITS }, 'test');
    const page = await billing.keys.list(one.account.id, { limit: 2 });
    const cursor = page.next ?? '';
    expect(await codeOfFailure(() => billing.keys.list(other.account.id, { cursor }))).toBe('invalid_value');
    expect((await billing.keys.list(one.account.id, { cursor })).items).toHaveLength(2);
    for (const bad of ['', '.', 'a.b', cursor.slice(1), `${cursor}A`, `${cursor.split('.')[0]}.`])
      expect(await codeOfFailure(() => billing.keys.list(one.account.id, { cursor: bad }))).toBe('invalid_value');
    expect(await codeOfFailure(() => billing.accounts.get(`${one.account.id}' OR 1=1 --`))).toBe('account_unknown');
  });

  it('and all else that operators change are in the audit log, without a secret', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const { account, key } = await newCaller(billing, 5n);
    await billing.keys.setState(key.id, 'disabled', 'cli:root');
    const first = await billing.audit.list({ limit: 2 });
    const rest = await billing.audit.list({ cursor: first.next ?? '' });
    expect([...first.items, ...rest.items].map(({ actor, action, target }) => [actor, action, target])).toEqual([
      ['cli:root', 'key.disabled', `key:${key.id}`],
      ['test', 'key.create', `key:${key.id}`],
      ['test', 'account.credit', `account:${account.id}`],
      ['test', 'account.create', `account:${account.id}`],
    ]);
    expect(JSON.parse(rest.items[0]?.diff ?? '')).toMatchObject({
      amount: '0.000005',
      reference: 'invoice 1',
      before: { balance: '0.00' },
      after: { balance: '0.000005' },
    });
  });

  it('with limits that are none are refused, and so are names', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const { account } = await newCaller(billing, 0n);
    const create = (limits: object, name = 'k') =>
      codeOfFailure(() => billing.keys.create(account.id, { name, limits: { ...NO_LIMITS, ...limits } }, 'test'));
    const day = { amountMicro: 1n, window: 'day' };
    for (const limits of [
      { requestsPerMinute: 0 },
      { tokensPerMinute: 1.5 },
      { parallelRequests: -1 },
      { budgets: [day, day] },
      { budgets: [{ amountMicro: -1n, window: 'day' }] },
      { budgets: [{ amountMicro: 1n, window: 'year' }] },
      { models: ['a b'] },
      { models: Array.from({ length: 201 }, (_, i) => `m${i}`) },
    ])
      expect([limits, await create(limits)]).toEqual([limits, 'invalid_value']);
    for (const name of ['', ' a', 'a\nb', 'a\0', 'x'.repeat(201)]) expect(await create({}, name)).toBe('invalid_value');
    expect(await codeOfFailure(() => billing.accounts.create({ name: 'A', currency: 'eur' }, 't'))).toBe(
      'invalid_value',
    );
    expect(await codeOfFailure(() => billing.keys.create('none', { name: 'a', limits: NO_LIMITS }, 't'))).toBe(
      'account_unknown',
    );
  });
});

describe.each(allDatabases)('prices on $name', (databases) => {
  it('are versions that are only added, and count from their time on', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const later: NewPrice = { ...PRICE, outputNano: 20_000n, effectiveFromMs: NOON_MS + 1_000 };
    expect(await billing.prices.add([PRICE, { ...PRICE, model: 'other model' }], 'test')).toBe(2);
    expect(await billing.prices.add([PRICE, later], 'test')).toBe(1);
    expect(await billing.prices.add([later], 'test')).toBe(0);
    const at = (ms: number) => billing.prices.current('openai', 'gpt-5', ms);
    expect(await at(NOON_MS)).toEqual(PRICED);
    expect(await at(NOON_MS + 1_000)).toEqual({ ...later, cacheWriteNano: later.inputNano, version: 2 });
    expect(await billing.prices.current('openai', 'none', NOON_MS)).toBeUndefined();
    // A price from now on takes the place of one that is planned, also of the same one.
    const now: NewPrice = { ...later, effectiveFromMs: NOON_MS };
    expect(await billing.prices.add([{ ...later, model: 'planned' }], 'test')).toBe(1);
    expect(await billing.prices.current('openai', 'planned', NOON_MS)).toBeUndefined();
    expect(await billing.prices.add([{ ...now, model: 'planned' }], 'test')).toBe(1);
    expect(await billing.prices.add([{ ...now, model: 'planned' }], 'test')).toBe(0);
    const cheaper = { ...now, model: 'planned', outputNano: 5n };
    expect(await billing.prices.add([{ ...later, model: 'planned', outputNano: 7n }, cheaper], 'test')).toBe(2);
    for (const ms of [NOON_MS, NOON_MS + 2_000])
      expect(await billing.prices.current('openai', 'planned', ms)).toMatchObject({ outputNano: 5n });
    expect(await billing.prices.current('openai', 'x\0', NOON_MS)).toBeUndefined();
    const all = await billing.prices.list({ all: true, limit: 2 });
    expect(all.items.map(({ model, version }) => `${model} ${version}`)).toEqual(['gpt-5 1', 'gpt-5 2']);
    const rest = await billing.prices.list({ all: true, limit: 2, cursor: all.next ?? '' });
    expect(rest.items.map(({ model }) => model)).toEqual(['other model', 'planned']);
    const newest = await billing.prices.list({ provider: 'openai' });
    expect(newest.items.map(({ version }) => version)).toEqual([2, 1, 4]);
    await expect(test.database.run('UPDATE price SET output_nano = 0')).rejects.toMatchObject({
      code: 'database_conflict',
    });
  });

  it('that are none are refused, all or none', async () => {
    await using test = await openTestBilling(databases);
    for (const bad of [
      { inputNano: -1n },
      { outputNano: 10n ** 9n + 1n },
      { imageNano: 10n ** 12n + 1n },
      { currency: 'E' },
      { model: '' },
      { provider: 'a b' },
      { effectiveFromMs: Number.NaN },
    ])
      expect(await codeOfFailure(() => test.billing.prices.add([PRICE, { ...PRICE, ...bad }], 'test'))).toBe(
        'invalid_value',
      );
    expect((await test.billing.prices.list({})).items).toEqual([]);
  });
});

it('a pattern of models means a provider, a model, or what stands for the star', () => {
  const may = (pattern: string, provider: string, model: string) =>
    mayUse({ budgets: [], models: [pattern] }, provider, model);
  expect(may('openai', 'openai', 'gpt-5')).toBe(true);
  expect(may('openai', 'openai2', 'gpt-5')).toBe(false);
  expect(may('pgw/acme', 'pgw/acme', 'any/thing')).toBe(true);
  expect(may('openai/gpt-5*', 'openai', 'gpt-5-mini')).toBe(true);
  expect(may('openai/gpt-5', 'openai', 'gpt-5-mini')).toBe(false);
  expect(may('*/gpt-*-mini', 'openai', 'gpt-5-mini')).toBe(true);
  expect(may('*a*b*', 'x', 'ab')).toBe(true);
  expect(may('ab*ba', 'a', 'ba')).toBe(false);
  expect(mayUse({ budgets: [], models: [] }, 'openai', 'gpt-5')).toBe(false);
  expect(mayUse({ budgets: [], models: null }, 'openai', 'gpt-5')).toBe(true);
});
