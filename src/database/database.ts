// SQL for two databases: the same texts for SQLite and PostgreSQL, parameters only. They use a part of PostgreSQL's dialect that
// SQLite understands or `toSqlite` translates: RETURNING, ON CONFLICT, `= ANY($1::text[])` for a list, FOR UPDATE.

import type { Row, SqlValue } from './stores/store.js';

/** A value as a parameter: integers of 64 bits as bigints, booleans as 0 and 1, times as milliseconds since 1970; or a list of texts. */
export type SqlParameter = SqlValue | readonly string[];

/** How a column of a table is declared: TEXT, BIGINT or INTEGER (of 32 bits in PostgreSQL). */
export type ColumnType = 'text' | 'bigint' | 'integer';

/** A table into which many rows are written at once: its columns, in any order. */
export interface Table<Column extends string = string> {
  readonly name: string;
  readonly columns: Readonly<Record<Column, ColumnType>>;
}

/** A row to write: omitted columns get their default. All rows of one call have the same columns. */
export type NewRow<Column extends string> = Readonly<Partial<Record<Column, SqlValue>>>;

/** Runs statements. Parameters are `$1`, `$2`, … */
export interface Queries {
  /** All rows. Errors: `database_unavailable`, `database_conflict` (a constraint; `details.constraint`). */
  all(sql: string, ...values: readonly SqlParameter[]): Promise<readonly Row[]>;
  /** The first row. Errors: as above. */
  get(sql: string, ...values: readonly SqlParameter[]): Promise<Row | undefined>;
  /** How many rows were changed. Errors: as above. */
  run(sql: string, ...values: readonly SqlParameter[]): Promise<number>;
  /**
   * Writes rows in one statement; with `orIgnore` conflicting rows are skipped. Returns how many were written. Errors: as above.
   */
  insert<Column extends string>(
    table: Table<Column>,
    rows: readonly NewRow<Column>[],
    orIgnore?: boolean,
  ): Promise<number>;
  /**
   * Adds, in one statement, the numbers of each row to the columns of the row with the same `keys`. A text that is no key replaces
   * the one before. Returns how many rows were changed.
   */
  add<Column extends string>(
    table: Table<Column>,
    keys: readonly NoInfer<Column>[],
    rows: readonly NewRow<Column>[],
  ): Promise<number>;
  /** Notifies the listeners of `channel` on every node once the transaction is committed. `payload`: below 8,000 bytes. */
  notify(channel: string, payload: string): Promise<void>;
}

/**
 * Takes the writes of a transaction that were sent and are not awaited: the COMMIT follows them at once. If one of them fails,
 * nothing is committed and the transaction fails with its error. No statement may follow.
 */
export type CommitBehind = (writes: Promise<unknown>) => void;

/** One step of a schema. A released step never changes; later changes are further steps. */
export interface Migration {
  /** For both databases. */
  readonly sql: string;
  /** Statements for one of them only, run after `sql`. */
  readonly sqlite?: string;
  readonly postgres?: string;
}

/** One database: a file of SQLite that this process owns, or a PostgreSQL that several nodes share. */
export interface Database extends Queries, AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres';
  /**
   * Brings the tables of `scope`, a module, to the newest version, under a lock that other nodes wait for. Returns how many steps
   * were taken. Errors: `database_invalid` where a newer program has migrated it, `database_unavailable`.
   */
  migrate(scope: string, migrations: readonly Migration[]): Promise<number>;
  /**
   * Runs `work` in one transaction, which is repeated when the database asks for it (deadlock, serialization): `work` must have
   * no other effect. Errors: those of `work`, `database_unavailable`; with `details.isUnknown` it is unknown whether the
   * transaction was committed.
   */
  transaction<T>(work: (queries: Queries, commitBehind: CommitBehind) => Promise<T>): Promise<T>;
  /**
   * Runs `work`, which only reads and may take minutes. With PostgreSQL it reads one snapshot, on a connection of its own.
   * Errors: those of `work`, `database_unavailable`.
   */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Whether the database answers now. */
  isReachable(): Promise<boolean>;
  /**
   * Calls `listener` with each payload of a channel. Payloads sent before its connection was ready, or while it was lost, are
   * missed: `onMissed` is called afterwards. The returned function ends it.
   */
  listen(channel: string, listener: (payload: string) => void, onMissed?: () => void): () => void;
}
