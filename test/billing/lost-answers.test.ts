// Committed transactions whose answer was lost: the node cannot know that they committed, and nothing goes wrong.
import { afterAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import type { Database } from '../../src/database/index.js';
import { codeOfFailure } from '../metering/open-test-meter.js';
import { allDatabases } from '../support/test-databases.js';
import { newCaller, newRequest, openTestBilling, used } from './open-test-billing.js';

afterAll(() => Promise.all(allDatabases.map((databases) => databases.close())));

/** A database that loses the answers of commits while `isLosing()`. */
function losing(database: Database, isLosing: () => boolean): Database {
  return new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'transaction') return value.bind(target) as unknown;
      return async (work: Parameters<Database['transaction']>[0]) => {
        const result = await target.transaction(work);
        if (isLosing()) throw new AppError('database_unavailable', 'the connection was lost', { isUnknown: true });
        return result;
      };
    },
  });
}

describe.each(allDatabases)('answers that are lost on $name', (databases) => {
  it('of an admission leave no hold, of a settlement charge once, of an allowance lose nothing', async () => {
    await using database = await databases.fresh();
    let isLosing = false;
    await using test = await openTestBilling(databases, {
      database: losing(database, () => isLosing),
      busyPerSecond: 3,
    });
    const { billing, clock } = test;
    const caller = await newCaller(billing, 1_000_000n);
    const hold = await billing.requests.admit(newRequest(caller));
    isLosing = true;
    expect(await codeOfFailure(() => billing.requests.admit(newRequest(caller)))).toBe('database_unavailable');
    await hold.settle(used(100, 10));
    clock.sleep(1_100);
    // Many at once, so that an allowance is taken, and its answer lost.
    const sent = Array.from({ length: 10 }, () => codeOfFailure(() => billing.requests.admit(newRequest(caller))));
    expect(new Set(await Promise.all(sent))).toEqual(new Set(['database_unavailable']));
    expect(billing.outboxDepth).toBeGreaterThan(0);
    isLosing = false;
    for (let i = 0; i < 12; i++) {
      clock.sleep(5_000);
      await billing.tick();
    }
    expect(billing.outboxDepth).toBe(0);
    expect(await billing.accounts.get(caller.account.id)).toMatchObject({ availableMicro: 999_700n, heldMicro: 0n });
    expect((await billing.ledger.verify()).faults).toEqual([]);
    const { items } = await billing.requests.list(caller.account.id, {});
    expect(items.filter(({ state }) => state === 'settled')).toHaveLength(1);
  });
});
