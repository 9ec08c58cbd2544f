// The databases that tests run over: each SQLite of this Node, and a PostgreSQL that is started for a file of tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres, openSqlite, stores, type Database, type StoreKind } from '../../src/database/index.js';
import { findPostgres, startPostgres, type TestPostgres } from './postgres.js';

/** Where fresh databases come from. */
export interface TestDatabases {
  readonly name: string;
  /** An empty database; for `another` node the address of the same one. */
  fresh(): Promise<Database>;
  /** To be called after the tests of a file. */
  close(): Promise<void>;
}

/** PostgreSQL, which may be stopped and started. */
export interface PostgresDatabases extends TestDatabases {
  /** Opens the database of an address once more, as another node does. */
  open(url: string): Promise<Database>;
  freshUrl(): Promise<string>;
  server(): Promise<TestPostgres>;
}

/** Every SQLite of this Node. */
export const sqlites: readonly TestDatabases[] = stores.filter((kind) => kind.isAvailable()).map(sqliteOf);

function sqliteOf(store: StoreKind): TestDatabases {
  const directories: string[] = [];
  return {
    name: store.name,
    fresh() {
      const directory = mkdtempSync(join(tmpdir(), 'database-'));
      directories.push(directory);
      return openSqlite({ path: join(directory, 'a.sqlite'), store, durability: 'process' });
    },
    async close() {
      for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Why there is no PostgreSQL here; undefined: there is one. */
export const noPostgres: string | undefined =
  findPostgres() === undefined ? 'no PostgreSQL is installed here (Debian: postgresql)' : undefined;

/** A server for one file of tests, which is started when it is first asked for. `isDurable`: commits wait for the disk. */
export function postgresDatabases(isDurable = false): PostgresDatabases {
  let started: Promise<TestPostgres> | undefined;
  let made = 0;
  const server = (): Promise<TestPostgres> => {
    started ??= startPostgres({ isDurable });
    return started;
  };
  const freshUrl = async (): Promise<string> => {
    const { createDatabase } = await server();
    return createDatabase(`test_${++made}`);
  };
  return {
    name: 'PostgreSQL',
    server,
    freshUrl,
    open: (url) => openPostgres({ url, poolSize: 6 }),
    async fresh() {
      return openPostgres({ url: await freshUrl(), poolSize: 6 });
    },
    async close() {
      await (await started)?.stop();
    },
  };
}

/** The same for all files of tests of this process: it runs until the process ends. */
function sharedPostgres(): TestDatabases {
  const databases = postgresDatabases();
  let isTied = false;
  return {
    name: databases.name,
    async fresh() {
      const { directory } = await databases.server();
      if (!isTied) removeAtExit(directory);
      isTied = true;
      return databases.fresh();
    },
    close: () => Promise.resolve(),
  };
}

/** The server itself ends with the process: its directory is removed while it does. */
function removeAtExit(directory: string): void {
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  // vitest ends its processes so.
  process.once('SIGTERM', () => process.exit());
}

/** All that are here, for suites that run over every one. */
export const allDatabases: readonly TestDatabases[] = [
  ...sqlites,
  ...(noPostgres === undefined ? [sharedPostgres()] : []),
];
