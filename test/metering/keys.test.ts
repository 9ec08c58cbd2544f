import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeySecret, parseKeySecret, type KeyRules } from '../../src/metering/index.js';
import { codeOfFailure, newKey, newRequest, NOON_MS, openTestMeter, type TestMeter } from './open-test-meter.js';

let test: TestMeter;
let ended: string[][];
beforeEach(async () => {
  test = await openTestMeter();
  ended = [];
  test.meter.onKeyEnded((...end) => void ended.push(end.flatMap((part) => part ?? [])));
});
afterEach(async () => test[Symbol.asyncDispose]());

const BY = { kind: 'cli' };
const RULES: KeyRules = {
  name: 'ci',
  models: ['llama*'],
  expiresAtMs: null,
  limits: {
    requestsPerMinute: 5,
    budgets: [
      { amountMicro: 2n ** 40n, currency: 'EUR', window: 'week' },
      { tokens: 5, window: 'day' },
    ],
  },
};
const failure = (secret: string): unknown => {
  try {
    return test.meter.authenticate(secret).id;
  } catch (error) {
    const { code, details } = error as { code: string; details: { reason?: string } };
    return details.reason === undefined ? code : `${code}: ${details.reason}`;
  }
};

describe('keys', () => {
  it('of the file and of the database are one list, and both let in', async () => {
    const file = newKey();
    test.meter.setFileKeys([file]);
    const { record, secret } = await test.meter.createKey(RULES, BY);
    expect(record).toMatchObject({ ...RULES, origin: 'database', state: 'active', createdAtMs: NOON_MS, graces: [] });
    expect(test.meter.keys().map(({ id, origin }) => [id, origin])).toEqual([
      ['vk_1', 'file'],
      [record.id, 'database'],
    ]);
    expect(test.meter.authenticate(file.secret)).toMatchObject({
      id: 'vk_1',
      usedHash: file.hash,
      lastUsedAtMs: NOON_MS,
    });
    expect(test.meter.authenticate(secret)).toMatchObject({ id: record.id, prefix: secret.slice(0, 10) });
    const again = await test.reopen();
    again.setFileKeys([file]);
    expect(again.authenticate(secret)).toMatchObject({ ...RULES, id: record.id, lastUsedAtMs: NOON_MS });
    // The database has no secret.
    expect(JSON.stringify(again.keys(), (_, value: unknown) => String(value))).not.toContain(secret.slice(11, 54));
  });

  it('that are missing, mistyped, unknown, disabled, revoked or expired are refused, and only a log tells them apart', async () => {
    const key = newKey({}, { expiresAtMs: NOON_MS + 1000 });
    test.meter.setFileKeys([key]);
    expect(failure('')).toBe('missing_api_key');
    expect(failure(key.secret.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')))).toBe('invalid_api_key: malformed');
    expect(failure(createKeySecret('gwk').secret)).toBe('invalid_api_key: unknown');
    expect(failure(createKeySecret('gwa').secret)).toBe('invalid_api_key: malformed');
    await test.meter.setKeyState('vk_1', 'disabled', BY);
    expect(failure(key.secret)).toBe('invalid_api_key: disabled');
    expect(await codeOfFailure(() => test.meter.admit(newRequest()))).toBe('invalid_api_key');
    await test.meter.setKeyState('vk_1', 'active', BY);
    expect(failure(key.secret)).toBe('vk_1');
    test.clock.advance(1000);
    expect(failure(key.secret)).toBe('expired_key: expired');
    expect(test.meter.keys()).toMatchObject([{ state: 'expired' }]);
    await test.meter.setKeyState('vk_1', 'revoked', BY);
    expect(failure(key.secret)).toBe('invalid_api_key: revoked');
    expect(await codeOfFailure(() => test.meter.setKeyState('vk_1', 'active', BY))).toBe('invalid_value');
    expect(await codeOfFailure(() => test.meter.setKeyState('vk_2', 'active', BY))).toBe('key_unknown');
    const again = await test.reopen();
    again.setFileKeys([key]);
    expect(again.keys()).toMatchObject([{ state: 'revoked' }]);
  });

  it('end within a second: by the time, by hand, and by leaving the file', async () => {
    const [first, second] = [newKey({}, { expiresAtMs: NOON_MS + 10_000 }), newKey({}, { id: 'vk_2' })];
    test.meter.setFileKeys([first, second]);
    test.clock.advance(9999);
    expect(ended).toEqual([]);
    test.clock.advance(501);
    expect(ended).toEqual([['vk_1']]);
    // The wall clock went back, and comes to it again.
    test.wall.ms -= 3_600_000;
    test.clock.advance(1000);
    expect(failure(first.secret)).toBe('vk_1');
    test.wall.ms += 3_600_000;
    test.clock.advance(1000);
    expect(ended).toEqual([['vk_1'], ['vk_1']]);
    await test.meter.setKeyState('vk_2', 'disabled', BY);
    expect(ended.at(-1)).toEqual(['vk_2']);
    test.meter.setFileKeys([second]);
    expect(ended.at(-1)).toEqual(['vk_1']);
    expect(test.meter.keys()).toMatchObject([{ id: 'vk_2', state: 'disabled' }]);
  });

  it('are rotated: the secret before is taken for a while, then only its streams end', async () => {
    const key = newKey();
    test.meter.setFileKeys([key]);
    const { secret, record } = await test.meter.rotateKey('vk_1', 60_000, BY);
    expect(record).toMatchObject({ rotatedFrom: key.prefix, prefix: secret.slice(0, 10) });
    expect([failure(key.secret), failure(secret)]).toEqual(['vk_1', 'vk_1']);
    const again = await test.reopen();
    again.onKeyEnded((...end) => void ended.push(end.flatMap((part) => part ?? [])));
    again.setFileKeys([key]);
    expect([failure(key.secret), failure(secret)]).toEqual(['vk_1', 'vk_1']);
    test.clock.sleep(60_000);
    expect([failure(key.secret), failure(secret)]).toEqual(['expired_key: rotated', 'vk_1']);
    test.clock.advance(500);
    expect(ended).toEqual([['vk_1', key.hash]]);
    expect([failure(key.secret), failure(secret)]).toEqual(['invalid_api_key: unknown', 'vk_1']);
    // Limits that an operator writes into the file later apply.
    const edited = newKey();
    again.setFileKeys([edited]);
    expect([failure(edited.secret), failure(secret)]).toEqual(['vk_1', 'invalid_api_key: unknown']);
    await test.meter.rotateKey('vk_1', 0, BY);
    expect(failure(edited.secret)).toBe('invalid_api_key: unknown');
    expect(ended.at(-1)).toEqual(['vk_1', edited.hash]);
  });

  it('that are rotated with no grace lose every older secret at once, those in an earlier grace too', async () => {
    const key = newKey();
    test.meter.setFileKeys([key]);
    const { secret: second } = await test.meter.rotateKey('vk_1', 60_000, BY);
    const { secret: third } = await test.meter.rotateKey('vk_1', 3_600_000, BY);
    expect([key.secret, second, third].map(failure)).toEqual(['vk_1', 'vk_1', 'vk_1']);
    const { secret: last } = await test.meter.rotateKey('vk_1', 0, BY);
    const refused = 'invalid_api_key: unknown';
    expect([key.secret, second, third, last].map(failure)).toEqual([refused, refused, refused, 'vk_1']);
    const hashes = [key.secret, second, third].map((secret) => parseKeySecret(secret)?.hash);
    expect(ended.map(([, hash]) => hash)).toEqual(hashes);
    // Not by a start either.
    const again = await test.reopen();
    again.setFileKeys([key]);
    expect([key.secret, second, third, last].map(failure)).toEqual([refused, refused, refused, 'vk_1']);
  });

  it('with the hash of another, or the id of one of the database, are left out, and told', async () => {
    const key = newKey();
    test.meter.setFileKeys([key, { ...key, id: 'vk_2' }]);
    expect(test.meter.keys()).toHaveLength(1);
    const { record, secret } = await test.meter.createKey(RULES, BY);
    test.meter.setFileKeys([{ ...newKey(), id: record.id }]);
    expect(test.meter.authenticate(secret).origin).toBe('database');
    expect(test.entries).toMatchObject([
      { event: 'key ignored', key_id: 'vk_2' },
      { event: 'key ignored', key_id: record.id },
    ]);
  });

  it('have rules within limits', async () => {
    const budget = { tokens: 1, window: 'day' as const };
    const wrong: Partial<KeyRules>[] = [
      { name: '' },
      { name: 'two\nlines' },
      { models: [''] },
      { expiresAtMs: 1.5 },
      { limits: { requestsPerMinute: 0, budgets: [] } },
      { limits: { budgets: Array.from({ length: 9 }, () => budget) } },
      { limits: { budgets: [{ ...budget, tokens: -1 }] } },
      { limits: { budgets: [{ amountMicro: 1n, currency: 'euro', window: 'day' }] } },
    ];
    for (const rules of wrong)
      expect(await codeOfFailure(() => test.meter.createKey({ ...RULES, ...rules }, BY))).toBe('invalid_value');
    expect(test.meter.keys()).toEqual([]);
  });
});

describe('the admin token', () => {
  it('is known by its hash, and is no key', async () => {
    const { secret, hash } = createKeySecret('gwa');
    expect(test.meter.adminToken.check(secret)).toBe(false);
    await test.meter.adminToken.set(hash, BY);
    expect(test.meter.adminToken.check(secret)).toBe(true);
    expect(test.meter.adminToken.check(createKeySecret('gwa').secret)).toBe(false);
    expect(test.meter.adminToken.check(createKeySecret('gwk').secret)).toBe(false);
    expect((await test.reopen()).adminToken.check(secret)).toBe(true);
    expect(await codeOfFailure(() => test.meter.adminToken.set('x', BY))).toBe('invalid_value');
  });
});

describe('the audit log', () => {
  it('has every change in a chain, with no secret in it', async () => {
    const { record, secret } = await test.meter.createKey(
      { ...RULES, name: `named ${createKeySecret('gwk').secret}`.slice(0, 90) },
      BY,
    );
    await test.meter.rotateKey(record.id, 1000, { kind: 'admin', id: 'a', address: '127.0.0.1' });
    await test.meter.setKeyState(record.id, 'revoked', BY);
    await test.meter.audit.append({
      actor: BY,
      action: 'x',
      target: `\0${secret}`,
      outcome: 'refused',
      reason: 'x'.repeat(5000),
    });
    expect(await test.meter.audit.verify()).toEqual({ entries: 4, ok: true });
    const entries = test.meter.audit.read({ limit: 10 });
    expect(entries.map(({ seq, actor, action }) => [seq, actor, action])).toEqual([
      [1, 'cli', 'key.create'],
      [2, 'admin:a@127.0.0.1', 'key.rotate'],
      [3, 'cli', 'key.revoked'],
      [4, 'cli', 'x'],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/gw[ka]_\w{6}_\w/);
    expect(JSON.stringify(entries)).not.toContain(secret.slice(11, 54));
    expect(test.meter.audit.read({ after: 2, limit: 1 })).toMatchObject([{ seq: 3 }]);
    const again = await test.reopen();
    await again.audit.append({ actor: BY, action: 'y', target: 'z', outcome: 'ok' });
    expect(await again.audit.verify()).toEqual({ entries: 5, ok: true });
  });
});
