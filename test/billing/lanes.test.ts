// Another session locks the rows of accounts, on PostgreSQL: which requests wait for them, and which do not.
import { afterAll, expect, it } from 'vitest';
import { noPostgres, postgresDatabases } from '../support/test-databases.js';
import { newCaller, newRequest, openTestBilling, used } from './open-test-billing.js';

const databases = postgresDatabases();
afterAll(() => databases.close());

it.skipIf(noPostgres !== undefined)(
  'an account whose row is locked holds up no other account, and goes on when it is free',
  async () => {
    await using test = await openTestBilling(databases);
    const { billing, database } = test;
    const [locked, other] = [await newCaller(billing, 1_000_000n), await newCaller(billing, 10_000n)];
    let free = (): void => {};
    const isFree = new Promise<void>((resolve) => (free = resolve));
    const holder = database.transaction(async (queries) => {
      await queries.get('SELECT id FROM account WHERE id = $1 FOR UPDATE', locked.account.id);
      await isFree;
    });
    // More than there are transactions at a time, each in a turn of its own.
    const waiting: Promise<unknown>[] = [];
    for (let i = 0; i < 6; i++) {
      waiting.push(billing.requests.admit(newRequest(locked)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const hold = await billing.requests.admit(newRequest(other));
    await hold.settle(used(100, 10));
    expect((await billing.accounts.get(other.account.id)).availableMicro).toBe(9_700n);
    free();
    await holder;
    expect(await Promise.all(waiting)).toHaveLength(6);
    expect((await billing.ledger.verify()).faults).toEqual([]);
  },
);
