import { BoundedQueue, type FileLock } from '../../base/index.js';
import type { CommitBehind, Database, Migration, NewRow, Queries, SqlParameter, Table } from '../database.js';
import { Listeners } from '../listeners.js';
import { checkVersion, VERSION_TABLE } from '../schema-version.js';
import type { Row, Store } from '../stores/store.js';
import { SqliteQueries } from './sqlite-queries.js';

/** A file of SQLite: one connection, whose transactions take turns. */
export class SqliteDatabase implements Database {
  readonly kind = 'sqlite';
  readonly #store: Store;
  readonly #path: string;
  readonly #lock: FileLock;
  readonly #queries: SqliteQueries;
  readonly #turns = new SerialQueue();
  readonly #listeners = new Listeners();

  constructor(store: Store, path: string, lock: FileLock) {
    this.#store = store;
    this.#path = path;
    this.#lock = lock;
    this.#queries = new SqliteQueries(store, path);
  }

  all(sql: string, ...values: readonly SqlParameter[]): Promise<readonly Row[]> {
    return this.#turns.take(() => this.#queries.all(sql, ...values));
  }

  get(sql: string, ...values: readonly SqlParameter[]): Promise<Row | undefined> {
    return this.#turns.take(() => this.#queries.get(sql, ...values));
  }

  run(sql: string, ...values: readonly SqlParameter[]): Promise<number> {
    return this.#turns.take(() => this.#queries.run(sql, ...values));
  }

  /** In a transaction, so that all rows are written or none. */
  insert<C extends string>(table: Table<C>, rows: readonly NewRow<C>[], orIgnore?: boolean): Promise<number> {
    return this.transaction((queries) => queries.insert(table, rows, orIgnore));
  }

  add<C extends string>(table: Table<C>, keys: readonly NoInfer<C>[], rows: readonly NewRow<C>[]): Promise<number> {
    return this.transaction((queries) => queries.add(table, keys, rows));
  }

  notify(channel: string, payload: string): Promise<void> {
    return this.transaction((queries) => queries.notify(channel, payload));
  }

  transaction<T>(work: (queries: Queries, commitBehind: CommitBehind) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      const result = await this.#within(async () => {
        const writes: Promise<unknown>[] = [];
        const done = await work(this.#queries, (write) => void writes.push(write));
        await Promise.all(writes);
        return done;
      });
      for (const { channel, payload } of this.#queries.takeNotices()) this.#listeners.tell(channel, payload);
      return result;
    });
  }

  migrate(scope: string, migrations: readonly Migration[]): Promise<number> {
    return this.#turns.take(async () => {
      this.#queries.exec(VERSION_TABLE);
      const row = await this.#queries.get('SELECT version FROM schema_version WHERE scope = $1', scope);
      const version = checkVersion(this.#path, scope, row, migrations.length);
      for (const [index, { sql, sqlite = '' }] of migrations.entries()) {
        if (index < version) continue;
        await this.#within(async () => {
          this.#queries.exec(`${sql};${sqlite}`);
          const set = 'INSERT INTO schema_version VALUES ($1, $2) ON CONFLICT (scope) DO UPDATE SET version = $2';
          await this.#queries.run(set, scope, index + 1);
        });
      }
      return migrations.length - version;
    });
  }

  /** Each statement takes a turn of its own: one long turn would block all other callers. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return work(this);
  }

  isReachable(): Promise<boolean> {
    return this.get('SELECT 1 AS one').then(
      () => true,
      () => false,
    );
  }

  /** No payload is missed: all come from this process. */
  listen(channel: string, listener: (payload: string) => void): () => void {
    return this.#listeners.add(channel, listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.take(() => this.#store.close());
    await this.#lock[Symbol.asyncDispose]();
  }

  async #within<T>(work: () => Promise<T>): Promise<T> {
    this.#queries.exec('BEGIN IMMEDIATE');
    try {
      const result = await work();
      this.#queries.exec('COMMIT');
      return result;
    } catch (error) {
      this.#queries.takeNotices();
      this.#rollBack();
      throw error;
    }
  }

  /** SQLite rolls back by itself on some errors, such as a full disk: there is no transaction to end then. */
  #rollBack(): void {
    try {
      this.#queries.exec('ROLLBACK');
    } catch {
      // No transaction is open.
    }
  }
}

/** Calls that may wait for their turn; more are refused, since they would wait for minutes. */
const MAX_WAITING = 20_000;

/** One piece of work at a time, in the order of arrival: a connection of SQLite has one transaction. */
class SerialQueue {
  readonly #waiting = new BoundedQueue<() => void>('work for the database', MAX_WAITING);
  #isTaken = false;

  /** Whether the turn is free. */
  get isFree(): boolean {
    return !this.#isTaken;
  }

  /** Runs `work` alone. Errors: those of `work`, `queue_full`. */
  async take<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      // The turn is handed over, and never free in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#isTaken = false;
      else next();
    }
  }
}
