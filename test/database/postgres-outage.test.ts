// PostgreSQL goes and comes back; several nodes start at once.
import { afterAll, describe, expect, it } from 'vitest';
import { toStatementError } from '../../src/database/postgres/postgres-errors.js';
import { openPostgres } from '../../src/database/index.js';
import { codeOfFailure } from '../metering/open-test-meter.js';
import { noPostgres, postgresDatabases } from '../support/test-databases.js';

const SYSTEM_CODES = (
  'EPIPE ECONNRESET ECONNREFUSED ECONNABORTED ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENOTFOUND ' +
  'EAI_AGAIN ENOENT'
).split(' ');

describe('an error of the connection to PostgreSQL', () => {
  it.each(SYSTEM_CODES)('that the system calls %s is database_unavailable', (code) => {
    const error = Object.assign(new Error(`write ${code}`), { code });
    expect(toStatementError(error, 'PostgreSQL')).toMatchObject({ code: 'database_unavailable', cause: error });
  });

  it('differs from a mistake in the SQL', () => {
    const error = Object.assign(new Error('a socket is no column'), { code: '42703' });
    expect(toStatementError(error, 'PostgreSQL')).toBe(error);
  });
});

const databases = postgresDatabases(true);
afterAll(() => databases.close());

describe.skipIf(noPostgres !== undefined)(`PostgreSQL (${noPostgres ?? 'here'})`, () => {
  it('takes the steps of a schema once where several nodes start', async () => {
    const url = await databases.freshUrl();
    const nodes = await Promise.all(Array.from({ length: 4 }, () => databases.open(url)));
    const steps = [{ sql: 'CREATE TABLE t (a TEXT); SELECT pg_sleep(0.1)' }, { sql: 'CREATE TABLE u (a TEXT)' }];
    const taken = await Promise.all(nodes.map((node) => node.migrate('test', steps)));
    expect(taken.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 2]);
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
  });

  it('refuses a database that is not there, and an address without a listener', async () => {
    const url = await databases.freshUrl();
    expect(await codeOfFailure(() => databases.open(url.replace(/test_\d+$/, 'none')))).toBe('database_refused');
    expect(await codeOfFailure(() => openPostgres({ url: 'postgres://a@127.0.0.1:1/none' }))).toBe(
      'database_unavailable',
    );
  });

  it('repeats a transaction that is in another one’s way', async () => {
    await using database = await databases.fresh();
    await database.migrate('test', [
      { sql: "CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER); INSERT INTO t VALUES ('a', 0), ('b', 0)" },
    ]);
    let tries = 0;
    let goOn = (): void => {};
    const haveBoth = new Promise<void>((resolve) => (goOn = resolve));
    const inOrder = (first: string, second: string) =>
      database.transaction(async (queries) => {
        await queries.run('UPDATE t SET n = n + 1 WHERE id = $1', first);
        tries++;
        // Each has its first row before either asks for its second.
        if (tries === 2) goOn();
        await haveBoth;
        await queries.run('UPDATE t SET n = n + 1 WHERE id = $1', second);
      });
    await Promise.all([inOrder('a', 'b'), inOrder('b', 'a')]);
    // PostgreSQL may end both, and what is repeated may be in the other's way again.
    expect(tries).toBeGreaterThan(2);
    expect(await database.all('SELECT n FROM t WHERE n = 2')).toHaveLength(2);
  });

  it('goes away and comes back: statements fail as unavailable, then go through, and listeners hear again', async () => {
    await using database = await databases.fresh();
    const server = await databases.server();
    const told: string[] = [];
    let numMissed = 0;
    database.listen(
      'news',
      (payload) => void told.push(payload),
      () => void numMissed++,
    );
    await database.migrate('test', [{ sql: 'CREATE TABLE t (a TEXT)' }]);
    for (const how of ['fast', 'crash'] as const) {
      const cut = database.transaction(async (queries) => {
        await queries.run("INSERT INTO t VALUES ('x')");
        await server.halt(how);
        await queries.run("INSERT INTO t VALUES ('y')");
      });
      expect(await codeOfFailure(() => cut)).toBe('database_unavailable');
      expect(await database.isReachable()).toBe(false);
      expect(await codeOfFailure(() => database.all('SELECT 1'))).toBe('database_unavailable');
      await server.start();
      expect(await database.isReachable()).toBe(true);
      expect(await database.all('SELECT a FROM t')).toEqual([]);
      told.length = 0;
      for (let i = 0; i < 300 && told.length === 0; i++) {
        await database.notify('news', how);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(told[0]).toBe(how);
    }
    // Of the first connection, and of each that was made after an outage.
    expect(numMissed).toBeGreaterThanOrEqual(3);
  });
});
