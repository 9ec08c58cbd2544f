import type { Client, Pool, PoolClient } from 'pg';
import { AppError, isAppError, type Clock, type LogEntry } from '../../base/index.js';
import type { CommitBehind, Database, Migration, NewRow, Queries, SqlParameter, Table } from '../database.js';
import type { Row } from '../stores/store.js';
import { isToRepeat, toStatementError } from './postgres-errors.js';
import { PostgresListener } from './postgres-listener.js';
import { migratePostgres } from './postgres-migrations.js';
import { PostgresQueries, StatementNames } from './postgres-queries.js';

/** The parts of a database. */
export interface PostgresParts {
  readonly pool: Pool;
  /** A connection outside of the pool, with this limit for its statements; absent: the limit of the pool. */
  readonly connect: (statementMs?: number) => Client;
  /** For messages, without a password. */
  readonly place: string;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
}

/** How often a transaction is tried: at each try at least one of the conflicting transactions succeeds. */
const MAX_TRIES = 8;
/** How long one statement of a long read may take. */
const READ_MS = 600_000;
/** Calls that may wait for a connection; more are refused, since they would wait past their timeout. */
const MAX_WAITING = 2_000;

/** A PostgreSQL by a pool of connections. */
export class PostgresDatabase implements Database {
  readonly kind = 'postgres';
  readonly #parts: PostgresParts;
  readonly #names = new StatementNames();
  readonly #queries: PostgresQueries;
  readonly #listener: PostgresListener;
  #closed: Promise<void> | undefined;

  constructor(parts: PostgresParts) {
    this.#parts = parts;
    this.#queries = new PostgresQueries(parts.pool, this.#names, parts.place);
    this.#listener = new PostgresListener(parts);
  }

  all(sql: string, ...values: readonly SqlParameter[]): Promise<readonly Row[]> {
    return this.#queries.all(sql, ...values);
  }

  get(sql: string, ...values: readonly SqlParameter[]): Promise<Row | undefined> {
    return this.#queries.get(sql, ...values);
  }

  run(sql: string, ...values: readonly SqlParameter[]): Promise<number> {
    return this.#queries.run(sql, ...values);
  }

  insert<C extends string>(table: Table<C>, rows: readonly NewRow<C>[], orIgnore?: boolean): Promise<number> {
    return this.#queries.insert(table, rows, orIgnore);
  }

  add<C extends string>(table: Table<C>, keys: readonly NoInfer<C>[], rows: readonly NewRow<C>[]): Promise<number> {
    return this.#queries.add(table, keys, rows);
  }

  notify(channel: string, payload: string): Promise<void> {
    return this.#queries.notify(channel, payload);
  }

  async transaction<T>(work: (queries: Queries, commitBehind: CommitBehind) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#tryOnce(work);
      } catch (error) {
        if (tries === MAX_TRIES || !isToRepeat(causeOf(error))) throw error;
      }
    }
  }

  migrate(scope: string, migrations: readonly Migration[]): Promise<number> {
    return migratePostgres(this.#parts, scope, migrations);
  }

  async read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const { connect, place } = this.#parts;
    const client = connect(READ_MS);
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      return await work(new PostgresQueries(client, this.#names, place));
    } catch (error) {
      throw toStatementError(error, place);
    } finally {
      await client.end();
    }
  }

  isReachable(): Promise<boolean> {
    return this.get('SELECT 1 AS one').then(
      () => true,
      () => false,
    );
  }

  listen(channel: string, listener: (payload: string) => void, onMissed?: () => void): () => void {
    return this.#listener.listen(channel, listener, onMissed);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#listener[Symbol.asyncDispose]();
    await this.#parts.pool.end();
  }

  async #tryOnce<T>(work: (queries: Queries, commitBehind: CommitBehind) => Promise<T>): Promise<T> {
    const client = await this.#take();
    let failure: unknown;
    try {
      const queries = new PostgresQueries(client, this.#names, this.#parts.place);
      const writes: Promise<unknown>[] = [];
      const commitBehind = (write: Promise<unknown>): void => {
        // The transaction reports a failure when it ends; until then the rejection must not be unhandled.
        write.catch(() => {});
        writes.push(write);
      };
      commitBehind(queries.run('BEGIN'));
      const result = await work(queries, commitBehind);
      await commit(client, this.#parts.place, writes);
      return result;
    } catch (error) {
      failure = await rollBack(client).catch((broken: unknown) => broken);
      throw error;
    } finally {
      // The pool drops a connection that could not roll back.
      client.release(failure !== undefined);
    }
  }

  async #take(): Promise<PoolClient> {
    const { pool, place } = this.#parts;
    if (pool.waitingCount >= MAX_WAITING) {
      const message = `${place} is too slow: ${MAX_WAITING} transactions wait for a connection; try again later`;
      throw new AppError('database_unavailable', message, { place, waiting: MAX_WAITING });
    }
    return pool.connect().catch((error: unknown) => {
      throw toStatementError(error, place);
    });
  }
}

async function commit(client: PoolClient, place: string, writes: readonly Promise<unknown>[]): Promise<void> {
  const { command } = await client.query('COMMIT').catch((error: unknown) => {
    const known = toStatementError(error, place);
    // The COMMIT was sent: it is unknown whether PostgreSQL carried it out.
    const isAway = isAppError(known) && known.code === 'database_unavailable';
    throw isAway
      ? new AppError(known.code, known.message, { ...known.details, isUnknown: true }, { cause: error })
      : known;
  });
  if (command !== 'ROLLBACK') return;
  // PostgreSQL answers COMMIT with ROLLBACK when an earlier statement failed: an unawaited write, or one whose error was ignored.
  await Promise.all(writes);
  throw new Error('a transaction with a failed statement was to be committed');
}

async function rollBack(client: PoolClient): Promise<undefined> {
  await client.query('ROLLBACK');
}

function causeOf(error: unknown): unknown {
  return isAppError(error) ? error.cause : error;
}
