// Disks that are full, folders that cannot be written, and databases that another process has.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMeter, stores, type Meter, type StoreKind } from '../../src/metering/index.js';
import { canMount, mountSmallDisk } from '../support/full-disk.js';
import { codeOfFailure, newKey, newRequest, newRow, openTestMeter, used } from './open-test-meter.js';

const [kind = stores[1]] = stores.filter((one) => one.isAvailable());
const available = stores.filter((one) => one.isAvailable());
const BY = { kind: 'cli' };
const LIMITS = { budgets: [{ tokens: 100_000, window: 'day' as const }] };

/** A store whose commits, or the audit log's inserts, fail while a flag says so. */
function failingStore(fails: { usage: boolean; audit: boolean }): StoreKind {
  if (kind === undefined) throw new Error('there is a store');
  return {
    ...kind,
    async open(options) {
      const store = await kind.open(options);
      const isAudit = options.durability === 'machine';
      const check = (sql: string): void => {
        if (sql === 'COMMIT' && fails.usage && !isAudit) throw new Error('database or disk is full');
      };
      return {
        close: () => store.close(),
        exec(sql) {
          check(sql);
          store.exec(sql);
        },
        prepare(sql) {
          const statement = store.prepare(sql);
          return {
            ...statement,
            run(...values) {
              if (isAudit && fails.audit) throw new Error('attempt to write a readonly database');
              return statement.run(...values);
            },
          };
        },
      };
    },
  };
}

describe('while nothing can be written', () => {
  it('requests are refused, those under way end, no usage is lost, and all goes on by itself', async () => {
    const fails = { usage: false, audit: false };
    await using test = await openTestMeter({ store: failingStore(fails) });
    test.meter.setFileKeys([newKey({ ...LIMITS, requestsPerMinute: 10 })]);
    const [first, second] = [await test.meter.admit(newRequest()), await test.meter.admit(newRequest())];
    expect(await first.allow(10)).toBe(true);
    fails.usage = true;
    // The first to notice is refused, and holds nothing; the next are refused at once.
    for (let i = 0; i < 3; i++)
      expect(await codeOfFailure(() => test.meter.admit(newRequest()))).toBe('metering_unavailable');
    expect(test.meter.usageOf('vk_1')).toMatchObject({ runningRequests: 2, budgets: [{ used: 0n, held: 532n }] });
    expect(test.meter.limitState('vk_1').requests?.remaining).toBe(8);
    // Reserved tokens may be handed on; more may not.
    expect(first.allow(200)).toBe(true);
    expect(await codeOfFailure(() => first.allow(400))).toBe('metering_unavailable');
    expect(first.grantedTokens).toBe(256);
    expect(await codeOfFailure(() => second.allow(1))).toBe('metering_unavailable');
    const ended: string[] = [];
    void first.settle(used(10, 200)).then(() => ended.push('first'));
    void second.settle(used(10, 0, { began: false })).then(() => ended.push('second'));
    test.meter.recordRequest(newRow('r', 1));
    test.clock.advance(3000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toEqual([]);
    fails.usage = false;
    test.clock.advance(1000);
    await expect.poll(() => ended).toEqual(['first', 'second']);
    expect(test.entries.map(({ event }) => event)).toEqual(['metering unavailable', 'metering available again']);
    await (await test.meter.admit(newRequest())).settle(used(1, 1));
    expect(test.meter.usageOf('vk_1')).toMatchObject({ runningRequests: 0, budgets: [{ used: 212n, held: 0n }] });
    expect(test.meter.requests({ limit: 10 })).toMatchObject([{ requestId: 'r' }]);
    expect((await test.reopen()).recovered).toEqual({ settled: 0, voided: 0 });
  });

  it('no key is changed: neither without the audit log nor without the database', async () => {
    const fails = { usage: false, audit: true };
    await using test = await openTestMeter({ store: failingStore(fails) });
    const key = newKey();
    test.meter.setFileKeys([key]);
    const create = (): Promise<unknown> =>
      test.meter.createKey({ name: 'x', models: null, expiresAtMs: null, limits: { budgets: [] } }, BY);
    expect(await codeOfFailure(create)).toBe('audit_unavailable');
    expect(await codeOfFailure(() => test.meter.setKeyState('vk_1', 'disabled', BY))).toBe('audit_unavailable');
    expect(await codeOfFailure(() => test.meter.rotateKey('vk_1', 0, BY))).toBe('audit_unavailable');
    expect(test.meter.authenticate(key.secret).state).toBe('active');
    Object.assign(fails, { usage: true, audit: false });
    expect(await codeOfFailure(create)).toBe('metering_unavailable');
    expect(test.meter.keys()).toHaveLength(1);
    expect(test.meter.audit.read({ limit: 9 })).toMatchObject([
      { action: 'key.create', outcome: 'failed', reason: 'metering_unavailable' },
    ]);
    fails.usage = false;
    test.clock.advance(1000);
    await create();
    expect(await test.meter.audit.verify()).toEqual({ entries: 2, ok: true });
  });
});

describe.runIf(canMount).each(available)('on a disk that is full, with $name', (store) => {
  it('usage waits, and is there when there is room again', async () => {
    using disk = mountSmallDisk(3 << 20);
    await using test = await openTestMeter({ store, directory: join(disk.path, 'data') });
    test.meter.setFileKeys([newKey({ budgets: [{ tokens: 10 ** 9, window: 'total' }] })]);
    let spent = 0n;
    const request = async (model: string): Promise<void> => {
      const hold = await test.meter.admit(newRequest({ model }));
      const settled = hold.settle(used(10, 5));
      spent += 15n;
      // It may have to wait; the disk is made free below.
      void settled;
      await new Promise((resolve) => setImmediate(resolve));
    };
    await request('before');
    const filler = join(disk.path, 'filler');
    let [failure, made]: [string | undefined, number] = [undefined, 0];
    try {
      writeFileSync(filler, Buffer.alloc(4 << 20));
    } catch {
      // Full, as it was meant to be.
    }
    while (failure === undefined && made < 100_000) failure = await codeOfFailure(() => request(`m${made++}`));
    expect(failure).toBe('metering_unavailable');
    expect(await codeOfFailure(() => request('refused'))).toBe('metering_unavailable');
    rmSync(filler);
    test.clock.advance(1000);
    expect(test.entries.map(({ event }) => event)).toEqual(['metering unavailable', 'metering available again']);
    await request('after');
    expect(test.meter.usageOf('vk_1')).toMatchObject({ runningRequests: 0, budgets: [{ used: spent, held: 0n }] });
    await test.reopen();
    test.meter.setFileKeys([newKey({ budgets: [{ tokens: 10 ** 9, window: 'total' }] })]);
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([{ used: spent }]);
  });

  it('that cannot be written at all, it does not open, and says which path', async () => {
    using disk = mountSmallDisk(3 << 20);
    const directory = join(disk.path, 'data');
    mkdirSync(directory);
    disk.makeReadOnly();
    await expect(openTestMeter({ store, directory })).rejects.toMatchObject({
      code: 'access_denied',
      message: expect.stringContaining(directory) as string,
    });
  });
});

describe('a second meter of one directory', () => {
  it('is refused with the process that has it, and opens when that is done', async () => {
    await using test = await openTestMeter();
    const options = { directory: test.directory, log: () => {}, retention: { requestDays: 1, auditDays: 1 } };
    const refused = { code: 'metering_in_use', message: expect.stringContaining(`process ${process.pid}`) as string };
    await expect(openMeter(options)).rejects.toMatchObject(refused);
    await test.meter[Symbol.asyncDispose]();
    const meter: Meter = await openMeter(options);
    await meter[Symbol.asyncDispose]();
  });
});

describe('a backup', () => {
  it('is a directory that a meter opens, with what was there, and is refused where something is', async () => {
    await using test = await openTestMeter();
    const key = newKey(LIMITS);
    test.meter.setFileKeys([key]);
    await (await test.meter.admit(newRequest())).settle(used(10, 20));
    const running = await test.meter.admit(newRequest());
    await test.meter.rotateKey('vk_1', 0, BY);
    const target = join(test.directory, 'backups', 'one');
    await test.meter.backup(target);
    expect(await codeOfFailure(() => test.meter.backup(target))).toBe('path_invalid');
    await running.settle(used(1, 1));
    await using copy = await openTestMeter({ directory: target });
    expect(copy.meter.recovered).toEqual({ settled: 0, voided: 1 });
    copy.meter.setFileKeys([key]);
    expect(copy.meter.usageOf('vk_1').budgets).toMatchObject([{ used: 30n, held: 0n }]);
    expect(await copy.meter.audit.verify()).toEqual({ entries: 1, ok: true });
  });
});

describe('retention', () => {
  it('removes old rows of the request log and old audit entries, and the chain still holds', async () => {
    await using test = await openTestMeter({ retention: { requestDays: 1, auditDays: 2 } });
    const add = (requestId: string): void => test.meter.recordRequest(newRow(requestId, test.wall.ms));
    add('old');
    for (const action of ['a', 'b']) await test.meter.audit.append({ actor: BY, action, target: 't', outcome: 'ok' });
    test.wall.ms += 3 * 86_400_000;
    add('new');
    await test.meter.audit.append({ actor: BY, action: 'c', target: 't', outcome: 'ok' });
    test.clock.advance(3_600_000);
    await expect.poll(() => test.meter.requests({ limit: 5 }).map(({ requestId }) => requestId)).toEqual(['new']);
    await expect
      .poll(() => test.meter.audit.read({ limit: 9 }).map(({ action }) => action))
      .toEqual(['c', 'audit.remove']);
    expect(await test.meter.audit.verify()).toEqual({ entries: 2, ok: true });
    expect(await (await test.reopen()).audit.verify()).toEqual({ entries: 2, ok: true });
  });
});
