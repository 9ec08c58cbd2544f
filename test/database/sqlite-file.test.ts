// A file of SQLite belongs to one process.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite, stores } from '../../src/database/index.js';

let directory = '';
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'sqlite-file-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe.each(stores.filter((kind) => kind.isAvailable()))('a file of $name', (store) => {
  it('is its owner’s alone, and refused to a second one', async () => {
    const path = join(directory, 'a.sqlite');
    {
      await using database = await openSqlite({ path, store });
      expect(statSync(path).mode & 0o777).toBe(0o600);
      await database.migrate('test', [{ sql: 'CREATE TABLE t (a TEXT)' }]);
      await expect(openSqlite({ path, store })).rejects.toMatchObject({
        code: 'database_in_use',
        details: { pid: process.pid },
      });
    }
    await using again = await openSqlite({ path, store });
    expect(await again.all('SELECT a FROM t')).toEqual([]);
  });

  it('whose process died in a transaction has nothing of it', async () => {
    const sumAt = async (at: string): Promise<unknown> => {
      await using database = await openSqlite({ path: join(at, 'a.sqlite'), store });
      expect(await database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      return (await database.get('SELECT sum(b) AS sum FROM t'))?.['sum'];
    };
    const [path, copies] = [join(directory, 'a.sqlite'), ['in it', 'behind it'].map((name) => join(directory, name))];
    const copyTo = (copy = ''): void => {
      mkdirSync(copy);
      // What a death leaves: the file and its log as they are, and the package's lock.
      for (const name of readdirSync(directory).filter((one) => /^a\.sqlite(-|$)/.test(one))) {
        expect([name, statSync(join(directory, name)).mode & 0o777]).toEqual([name, 0o600]);
        copyFileSync(join(directory, name), join(copy, name));
      }
      mkdirSync(join(copy, 'a.sqlite.lock'));
    };
    await using database = await openSqlite({ path, store });
    await database.migrate('test', [{ sql: 'CREATE TABLE t (a TEXT, b INTEGER)' }]);
    await database.run(
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO t SELECT hex(zeroblob(500)), 1 FROM n',
    );
    // With so little memory changed pages are written before the commit.
    await database.all('PRAGMA cache_size = 10');
    await database.transaction(async (queries) => {
      await queries.run('UPDATE t SET b = 2');
      copyTo(copies[0]);
    });
    copyTo(copies[1]);
    expect(await Promise.all(copies.map(sumAt))).toEqual([500, 1_000]);
  });

  it('that is none, or that is no file, is refused with what to do', async () => {
    const path = join(directory, 'b.sqlite');
    writeFileSync(path, 'this is not a database, and long enough to be taken for one by its size alone, so to say');
    const opened = openSqlite({ path, store }).then((database) => database.migrate('test', []));
    await expect(opened).rejects.toMatchObject({ code: 'database_invalid' });
    await expect(openSqlite({ path: join(directory, 'none', 'c.sqlite'), store })).rejects.toMatchObject({
      code: 'path_invalid',
    });
  });
});
