// A file of SQLite belongs to one process.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
