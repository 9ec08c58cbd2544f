// The ledger: immutable, and every change to it is found.
import { afterAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/index.js';
import { allDatabases } from '../support/test-databases.js';
import { codeOfFailure } from '../metering/open-test-meter.js';
import { newCaller, newRequest, openTestBilling, used } from './open-test-billing.js';

afterAll(() => Promise.all(allDatabases.map((databases) => databases.close())));

/** Removes the guard, as a user who may change the schema can. */
async function unguard(database: Database, table: string): Promise<void> {
  const drop =
    database.kind === 'sqlite'
      ? [`DROP TRIGGER ${table}_no_update`, `DROP TRIGGER ${table}_no_delete`]
      : [`DROP TRIGGER ${table}_immutable ON ${table}`];
  for (const sql of drop) await database.run(sql);
}

const CHANGES: readonly (readonly [column: string, sql: string])[] = [
  ['amount_micro', 'amount_micro + 1'],
  ['note', "note || '.'"],
  ['reference', "reference || '.'"],
  ['from_account', "'account:other'"],
  ['to_account', "'account:other'"],
  ['currency', "'USD'"],
  ['created_at_ms', 'created_at_ms + 1'],
  ['kind', "'adjustment'"],
  ['account_id', "'other'"],
];

describe.each(allDatabases)('the ledger on $name', (databases) => {
  it('refuses every change and removal of what is written', async () => {
    await using test = await openTestBilling(databases);
    await newCaller(test.billing, 1_000n);
    await test.billing.tick();
    for (const table of ['ledger', 'ledger_chain', 'audit_entry']) {
      const change = table === 'audit_entry' ? 'actor = actor' : 'group_id = group_id';
      expect(await codeOfFailure(() => test.database.run(`UPDATE ${table} SET ${change}`))).toBe('database_conflict');
      expect(await codeOfFailure(() => test.database.run(`DELETE FROM ${table}`))).toBe('database_conflict');
    }
    if (test.database.kind === 'postgres')
      expect(await codeOfFailure(() => test.database.run('TRUNCATE ledger'))).toBe('database_conflict');
  });

  it('finds each changed field of a group, a group that is gone, and a number of the chain that is', async () => {
    await using test = await openTestBilling(databases);
    const { billing, database } = test;
    const caller = await newCaller(billing, 1_000_000n);
    for (let i = 0; i < 3; i++) await (await billing.requests.admit(newRequest(caller))).settle(used(10, 10));
    await billing.tick();
    expect((await billing.ledger.verify()).faults).toEqual([]);
    for (const table of ['ledger', 'ledger_chain']) await unguard(database, table);
    const ids = (await database.all('SELECT group_id FROM ledger_chain ORDER BY seq')).map(({ group_id: id }) =>
      String(id),
    );
    const [, target = ''] = ids;
    const faultsOf = async (change: string, undo: string): Promise<readonly string[]> => {
      await database.run(change, target);
      const { faults } = await billing.ledger.verify();
      await database.run(undo, target);
      return faults;
    };
    for (const [column, sql] of CHANGES) {
      const row = await database.get(`SELECT ${column} AS was FROM ledger WHERE group_id = $1`, target);
      const was = row?.['was'] ?? null;
      const quoted = typeof was === 'string' ? `'${was}'` : String(was);
      const faults = await faultsOf(
        `UPDATE ledger SET ${column} = ${sql} WHERE group_id = $1`,
        `UPDATE ledger SET ${column} = ${quoted} WHERE group_id = $1`,
      );
      expect([column, faults.some((fault) => fault.includes(`group ${target}, number 2`))]).toEqual([column, true]);
    }
    expect((await billing.ledger.verify()).faults).toEqual([]);
    // Each digit of a hash counts, and the order.
    const link = await database.get('SELECT hash FROM ledger_chain WHERE group_id = $1', target);
    const hash = String(link?.['hash']);
    for (let i = 0; i < hash.length; i += 9) {
      const other = hash.slice(0, i) + (hash[i] === '0' ? '1' : '0') + hash.slice(i + 1);
      const set = (value: string): string => `UPDATE ledger_chain SET hash = '${value}' WHERE group_id = $1`;
      expect((await faultsOf(set(other), set(hash))).length).toBeGreaterThan(0);
    }
    await database.run('DELETE FROM ledger WHERE group_id = $1', target);
    expect((await billing.ledger.verify()).faults.join('\n')).toMatch(
      /is in the chain, number 2, and not in the ledger/,
    );
    await database.run('DELETE FROM ledger_chain WHERE group_id = $1', target);
    expect((await billing.ledger.verify()).faults.join('\n')).toMatch(/gap behind number 1/);
  });

  it('finds a balance and a hold that are not what the books say', async () => {
    await using test = await openTestBilling(databases);
    const { billing, database } = test;
    const caller = await newCaller(billing, 1_000n);
    await database.run('UPDATE account SET available_micro = available_micro + 1 WHERE id = $1', caller.account.id);
    await database.run('UPDATE account SET held_micro = held_micro + 2 WHERE id = $1', caller.account.id);
    expect((await billing.ledger.verify()).faults).toEqual([
      `account ${caller.account.id} has 0.001003 EUR, and its entries sum to 0.001 EUR`,
      `account ${caller.account.id} holds 0.000002 EUR, and its holds sum to 0.00 EUR`,
    ]);
  });

  it('books a credit once by its reference, takes back what is there, and sums to zero', async () => {
    await using test = await openTestBilling(databases);
    const { billing } = test;
    const { id } = (await newCaller(billing, 1_000n)).account;
    const credit = (amountMicro: bigint, reference: string) =>
      billing.accounts.credit(id, { amountMicro, reference }, 'test');
    const same = await Promise.all([1, 2, 3].map(() => credit(500n, 'invoice 2')));
    expect(same.filter(({ wasBooked }) => wasBooked)).toHaveLength(2);
    expect((await billing.accounts.get(id)).availableMicro).toBe(1_500n);
    // Another payment is not taken for the first.
    const other = { amountMicro: 500n, reference: 'invoice 2', note: 'by card' };
    for (const attempt of [() => credit(501n, 'invoice 2'), () => credit(-500n, 'invoice 2')])
      await expect(attempt()).rejects.toMatchObject({
        code: 'payment_reference_used',
        message: expect.stringContaining('with 0.0005 EUR') as string,
      });
    expect(await codeOfFailure(() => billing.accounts.credit(id, other, 'test'))).toBe('payment_reference_used');
    expect((await billing.accounts.get(id)).availableMicro).toBe(1_500n);
    expect(await codeOfFailure(() => credit(-1_501n, 'refund'))).toBe('balance_exceeded');
    expect((await credit(-1_500n, 'refund')).availableMicro).toBe(0n);
    expect(await codeOfFailure(() => credit(0n, 'nothing'))).toBe('invalid_value');
    expect(await codeOfFailure(() => credit(10n ** 15n + 1n, 'much'))).toBe('invalid_value');
    expect(await codeOfFailure(() => credit(10n, 'a\nb'))).toBe('invalid_value');
    expect(
      await codeOfFailure(() => billing.accounts.credit('acc_none', { amountMicro: 1n, reference: 'a' }, 't')),
    ).toBe('account_unknown');
    await billing.tick();
    const sums = new Map<string, bigint>();
    for await (const { entries } of billing.ledger.export({})) {
      expect(entries.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)).toBe(0n);
      for (const { account, amountMicro } of entries) sums.set(account, (sums.get(account) ?? 0n) + amountMicro);
    }
    expect(Object.fromEntries(sums)).toEqual({ payments: 0n, [`account:${id}`]: 0n });
  });
});
