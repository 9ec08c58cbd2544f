// One contract for every database: the same statements give the same.
import { afterAll, describe, expect, it } from 'vitest';
import type { Database, Table } from '../../src/database/index.js';
import { allDatabases } from '../support/test-databases.js';
import { codeOfFailure } from '../metering/open-test-meter.js';

afterAll(() => Promise.all(allDatabases.map((databases) => databases.close())));

const ITEM: Table<'id' | 'amount' | 'count' | 'note'> = {
  name: 'item',
  columns: { id: 'text', amount: 'bigint', count: 'integer', note: 'text' },
};
const STEPS = [
  {
    sql: `CREATE TABLE item (id TEXT PRIMARY KEY, amount BIGINT NOT NULL CONSTRAINT item_amount CHECK (amount >= 0),
      count INTEGER NOT NULL DEFAULT 0, note TEXT)`,
    sqlite: 'CREATE TABLE only_sqlite (a TEXT)',
    postgres: 'CREATE TABLE only_postgres (a TEXT)',
  },
];

async function withItems(database: Database): Promise<Database> {
  await database.migrate('test', STEPS);
  return database;
}

describe.each(allDatabases)('$name', (databases) => {
  it('keeps integers of 64 bits exactly, texts as they are, and null', async () => {
    await using database = await withItems(await databases.fresh());
    const amounts = [0, 1, 2 ** 53 - 1, 2n ** 53n, 2n ** 63n - 1n];
    const notes = [`'";-- é😀\n`, '', null, '{a,"b"}', '\\'];
    const rows = amounts.map((amount, i) => ({ id: `i${i}`, amount, count: i, note: notes[i] ?? null }));
    expect(await database.insert(ITEM, rows)).toBe(5);
    const read = await database.all('SELECT id, amount, count, note FROM item ORDER BY id');
    expect(read.map((row) => ({ ...row }))).toEqual(rows);
    expect(
      await database.get('SELECT note FROM item WHERE id = $1 AND amount = $2', 'i4', 2n ** 63n - 1n),
    ).toBeDefined();
    expect(await database.get('SELECT note FROM item WHERE id = $1', 'none')).toBeUndefined();
  });

  it('takes parameters by their numbers, and lists', async () => {
    await using database = await withItems(await databases.fresh());
    await database.insert(
      ITEM,
      ['a', 'b', "c'", 'd'].map((id) => ({ id, amount: 1 })),
    );
    const found = await database.all('SELECT id FROM item WHERE id = ANY($2::text[]) AND amount = $1 ORDER BY id', 1, [
      "c'",
      'a',
      'x,y',
      '"',
    ]);
    expect(found.map(({ id }) => id)).toEqual(['a', "c'"]);
    expect(await database.all('SELECT id FROM item WHERE id = ANY($1::text[])', [])).toEqual([]);
    expect(await database.run('DELETE FROM item WHERE id = ANY($1::text[])', ['a', 'b'])).toBe(2);
  });

  it('writes many rows at once, leaves out what conflicts where asked to, and adds to rows', async () => {
    await using database = await withItems(await databases.fresh());
    expect(await database.insert(ITEM, [])).toBe(0);
    await database.insert(ITEM, [{ id: 'a', amount: 5 }]);
    expect(
      await database.insert(
        ITEM,
        [
          { id: 'a', amount: 9 },
          { id: 'b', amount: 1 },
        ],
        true,
      ),
    ).toBe(1);
    const added = [
      { id: 'a', amount: -5n, count: 2 },
      { id: 'b', amount: 2n ** 60n, count: 0 },
      { id: 'none', amount: 1, count: 1 },
    ];
    expect(await database.add(ITEM, ['id'], added)).toBe(2);
    const rows = await database.all('SELECT id, amount, count FROM item ORDER BY id');
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { id: 'a', amount: 0, count: 2 },
      { id: 'b', amount: 2n ** 60n + 1n, count: 0 },
    ]);
  });

  it('replaces texts beside the numbers that it adds', async () => {
    await using database = await withItems(await databases.fresh());
    await database.insert(ITEM, [{ id: 'a', amount: 5, note: 'before' }]);
    await database.add(ITEM, ['id'], [{ id: 'a', amount: 2, note: 'after' }]);
    const row = await database.get('SELECT id, amount, note FROM item');
    expect({ ...row }).toEqual({ id: 'a', amount: 7, note: 'after' });
  });

  it('tells a broken constraint by its name, and changes nothing then', async () => {
    await using database = await withItems(await databases.fresh());
    await database.insert(ITEM, [{ id: 'a', amount: 1 }]);
    await expect(database.add(ITEM, ['id'], [{ id: 'a', amount: -2 }])).rejects.toMatchObject({
      code: 'database_conflict',
      details: { constraint: 'item_amount' },
    });
    expect(await codeOfFailure(() => database.insert(ITEM, [{ id: 'a', amount: 1 }]))).toBe('database_conflict');
    const both = database.transaction(async (queries) => {
      await queries.insert(ITEM, [{ id: 'b', amount: 1 }]);
      await queries.insert(ITEM, [{ id: 'a', amount: 1 }]);
    });
    expect(await codeOfFailure(() => both)).toBe('database_conflict');
    expect(await database.all('SELECT id FROM item')).toHaveLength(1);
  });

  it('tells a mistake in the SQL as what it is', async () => {
    await using database = await databases.fresh();
    expect((await codeOfFailure(() => database.all('SELEC'))) ?? '').not.toMatch(/^database_/);
    await expect(database.all('SELEC')).rejects.toThrow(/syntax/);
  });

  it('commits behind writes that are not awaited, all of them or none, with the error of the first that fails', async () => {
    await using database = await withItems(await databases.fresh());
    const write = (amounts: readonly number[]): Promise<string> =>
      database.transaction(async (queries, commitBehind) => {
        const ids = amounts.map((_, i) => `${amounts.length}${i}`);
        commitBehind(Promise.all(amounts.map((amount, i) => queries.insert(ITEM, [{ id: ids[i] ?? '', amount }]))));
        return 'done';
      });
    expect(await write([1, 2, 3])).toBe('done');
    expect(await database.all('SELECT id FROM item')).toHaveLength(3);
    await expect(write([1, -2, 3, -4])).rejects.toMatchObject({
      code: 'database_conflict',
      details: { constraint: 'item_amount' },
    });
    expect(await database.all('SELECT id FROM item')).toHaveLength(3);
    // The connection is used again.
    expect(await write([4, 5])).toBe('done');
    expect(await database.all('SELECT id FROM item')).toHaveLength(5);
  });

  it('undoes what a transaction did that fails, and keeps one apart from what runs beside it', async () => {
    await using database = await withItems(await databases.fresh());
    await expect(
      database.transaction(async (queries) => {
        await queries.insert(ITEM, [{ id: 'a', amount: 1 }]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await database.all('SELECT id FROM item')).toEqual([]);
    // Each reads and writes a moment later: none may see between.
    await database.insert(ITEM, [{ id: 'sum', amount: 0 }]);
    const once = (): Promise<void> =>
      database.transaction(async (queries) => {
        const row = await queries.get('SELECT amount FROM item WHERE id = $1 FOR UPDATE', 'sum');
        await new Promise((resolve) => setImmediate(resolve));
        await queries.run('UPDATE item SET amount = $2 WHERE id = $1', 'sum', Number(row?.['amount']) + 1);
      });
    await Promise.all(Array.from({ length: 40 }, once));
    expect(await database.get('SELECT amount FROM item WHERE id = $1', 'sum')).toMatchObject({ amount: 40 });
  });

  it('brings a schema forward once, keeps those of modules apart, and refuses a newer one', async () => {
    await using database = await databases.fresh();
    expect(await database.migrate('test', STEPS)).toBe(1);
    expect(await database.migrate('test', STEPS)).toBe(0);
    const more = [...STEPS, { sql: 'ALTER TABLE item ADD COLUMN later TEXT; CREATE INDEX item_later ON item (later)' }];
    expect(await database.migrate('test', more)).toBe(1);
    expect(await database.migrate('other', [{ sql: 'CREATE TABLE other (a TEXT)' }])).toBe(1);
    expect(await database.all(`SELECT a FROM only_${database.kind}`)).toEqual([]);
    await expect(database.migrate('test', STEPS)).rejects.toMatchObject({
      code: 'database_invalid',
      details: { version: 2, known: 1, scope: 'test' },
    });
    // A step that fails leaves nothing of itself.
    const broken = [...more, { sql: 'CREATE TABLE half (a TEXT); CREATE TABLE other (a TEXT)' }];
    await expect(database.migrate('test', broken)).rejects.toThrow(/exists/);
    await expect(database.all('SELECT a FROM half')).rejects.toThrow();
    expect(await database.migrate('test', more)).toBe(0);
  });

  it('tells those who listen, after the commit, and not of what was undone', async () => {
    await using database = await databases.fresh();
    const told: string[] = [];
    const stop = database.listen('news', (payload) => void told.push(payload));
    // A listener of PostgreSQL is there a moment later.
    const eventually = async (expected: string[]): Promise<void> => {
      for (let i = 0; i < 200 && told.length < expected.length; i++) await new Promise((done) => setTimeout(done, 10));
      expect(told).toEqual(expected);
    };
    for (let i = 0; i < 200 && told.length === 0; i++) {
      await database.notify('news', 'first');
      await new Promise((done) => setTimeout(done, 10));
    }
    told.length = 0;
    await database.transaction(async (queries) => queries.notify('news', "it's"));
    await database
      .transaction(async (queries) => {
        await queries.notify('news', 'undone');
        throw new Error('no');
      })
      .catch(() => {});
    await database.notify('others', 'x');
    await database.notify('news', 'last');
    await eventually(["it's", 'last']);
    stop();
    await database.notify('news', 'unheard');
    expect(told).toHaveLength(2);
  });

  it('refuses a fraction: no column is of that kind', async () => {
    await using database = await withItems(await databases.fresh());
    await expect(database.insert(ITEM, [{ id: 'a', amount: 1.5 }])).rejects.toThrow();
    await expect(database.run('INSERT INTO item (id, amount) VALUES ($1, $2)', 'a', 1.5)).rejects.toThrow();
    expect(await database.all('SELECT id FROM item')).toEqual([]);
  });

  it('compares texts by their bytes', async () => {
    await using database = await withItems(await databases.fresh());
    await database.insert(
      ITEM,
      ['b', 'B', 'é', 'a', '_', 'Z'].map((id) => ({ id, amount: 1 })),
    );
    const sorted = await database.all('SELECT id FROM item ORDER BY id');
    expect(sorted.map(({ id }) => id)).toEqual(['B', 'Z', '_', 'a', 'b', 'é']);
    expect(await database.isReachable()).toBe(true);
  });
});
