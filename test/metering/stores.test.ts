// One contract for every SQLite that this Node has.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditMigrations, meteringMigrations } from '../../src/metering/database/migrations.js';
import { openMeterDatabase } from '../../src/metering/database/open-database.js';
import { stores, type Store } from '../../src/metering/index.js';
import { listFiles } from '../repo/source-tree.js';

let directory = '';
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'stores-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const available = stores.filter((kind) => kind.isAvailable());
const [major = 0] = process.versions.node.split('.').map(Number);

it('one is on every Node, and its own from 24 on', () => {
  const names = available.map(({ name }) => name);
  expect(names).toContain('node-sqlite3-wasm');
  if (major >= 24) expect(names[0]).toBe('node:sqlite');
});

describe.each(available)('$name', (kind) => {
  const open = (name = 'a.sqlite'): Promise<Store> => kind.open({ path: join(directory, name), durability: 'process' });

  it('keeps whole numbers exactly, texts as they are, and null', async () => {
    const store = await open();
    store.exec('CREATE TABLE t (a INTEGER, b TEXT) STRICT');
    const insert = store.prepare('INSERT INTO t (a, b) VALUES (?1, ?2)');
    const values = [0, -1, 2 ** 53 - 1, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n), null] as const;
    for (const value of values) insert.run(value, `'";-- é😀`);
    const rows = store.prepare('SELECT a, b FROM t').all();
    expect(rows.map(({ a }) => a)).toEqual(values);
    expect(new Set(rows.map(({ b }) => b))).toEqual(new Set([`'";-- é😀`]));
    store.close();
    store.close();
  });

  it('takes a parameter by its number, and gives undefined where there is no row', async () => {
    const store = await open();
    const find = store.prepare('SELECT ?2 AS second, ?1 AS first WHERE ?1 = 1');
    expect({ ...find.get(1, 'x') }).toEqual({ second: 'x', first: 1 });
    expect(find.get(2, 'x')).toBeUndefined();
    expect(find.all(2, 'x')).toEqual([]);
    store.close();
  });

  it('undoes a transaction that is rolled back, and keeps one that was committed when it is opened again', async () => {
    const store = await open();
    store.exec(
      'CREATE TABLE t (a INTEGER) STRICT; BEGIN; INSERT INTO t VALUES (1); COMMIT; BEGIN; INSERT INTO t VALUES (2)',
    );
    store.exec('ROLLBACK');
    store.close();
    const again = await open();
    expect(
      again
        .prepare('SELECT a FROM t')
        .all()
        .map(({ a }) => a),
    ).toEqual([1]);
    again.close();
  });

  it('refuses what a strict table does not take, and goes on', async () => {
    const store = await open();
    store.exec('CREATE TABLE t (a INTEGER NOT NULL) STRICT');
    const insert = store.prepare('INSERT INTO t (a) VALUES (?1)');
    expect(() => insert.run('no number')).toThrow();
    expect(() => insert.run(null)).toThrow();
    insert.run(1);
    expect(store.prepare('SELECT count(*) AS n FROM t').get()).toMatchObject({ n: 1 });
    store.close();
  });

  it('copies itself into an empty file, whose mode stays', async () => {
    const path = join(directory, 'b.sqlite');
    const options = { kind, durability: 'machine' as const, migrations: auditMigrations };
    const store = await openMeterDatabase({ ...options, path });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const name of readdirSync(directory)) {
      const { mode } = statSync(join(directory, name));
      if (!name.endsWith('.lock')) expect([name, mode & 0o077]).toEqual([name, 0]);
    }
    store.prepare('VACUUM INTO ?1').run(join(directory, 'copy.sqlite'));
    store.close();
    const copy = await openMeterDatabase({ ...options, path: join(directory, 'copy.sqlite') });
    expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    copy.close();
  });

  it('brings a database to its version once, and refuses a newer and a damaged one by name', async () => {
    const path = join(directory, 'c.sqlite');
    const options = { kind, path, durability: 'process' as const, migrations: meteringMigrations };
    const store = await openMeterDatabase(options);
    expect(store.prepare('PRAGMA user_version').get()).toEqual({ user_version: meteringMigrations.length });
    store.close();
    (await openMeterDatabase(options)).close();
    const version = meteringMigrations.length + 1;
    const next = [...meteringMigrations, `CREATE TABLE more (a) ; PRAGMA user_version = ${version};`];
    (await openMeterDatabase({ ...options, migrations: next })).close();
    const told = expect.stringContaining(`has version ${version}`) as string;
    const newer = { code: 'metering_database_invalid', message: told };
    await expect(openMeterDatabase(options)).rejects.toMatchObject(newer);
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(directory, 'd.sqlite'), 'no database at all '.repeat(100));
    await expect(openMeterDatabase({ ...options, path: join(directory, 'd.sqlite') })).rejects.toMatchObject({
      code: 'metering_database_invalid',
    });
  });
});

describe('the SQL of metering', () => {
  const files = listFiles('src/metering', '.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }));

  it('is made of no values: parameters only', () => {
    expect(files.length).toBeGreaterThan(20);
    for (const { path, text } of files) {
      const templates = [...text.matchAll(/`[^`]*`/g)].map(([found]) => found);
      const wrong = templates.filter(
        (found) => /\b(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE)\b/.test(found) && found.includes('${'),
      );
      expect([path, wrong]).toEqual([path, []]);
      // A statement is a text or a constant of the file. `exec` of a regular expression is no statement.
      const calls = [...text.matchAll(/(?<!\/[a-z]*)\.(?:exec|prepare)\(([^)]*)/g)].map(([, argument = '']) =>
        argument.trim(),
      );
      const variable = calls.filter(
        (argument) => !/^(?:['"`]|SQL\.\w+$|SYNCHRONOUS\[durability\]$|[A-Z_]+$|sql$|text$|secret|$)/.test(argument),
      );
      expect([path, variable]).toEqual([path, []]);
    }
  });

  it('sets its number in each migration', () => {
    for (const migrations of [meteringMigrations, auditMigrations]) {
      migrations.forEach((sql, i) => expect(sql).toContain(`PRAGMA user_version = ${i + 1};`));
    }
  });
});
