// SQL as billing needs it: the same texts for SQLite and PostgreSQL, parameters only.

/** A value as a parameter. 64-bit integers are bigints; booleans are 0 and 1; times are milliseconds since 1970. */
export type SqlValue = number | bigint | string | null;

/** A row. Integers of 64 bits come as bigints where a column is declared BIGINT, as numbers where it is INTEGER. */
export type Row = Readonly<Record<string, SqlValue>>;

/** What runs statements. Parameters are `$1`, `$2`, …; both databases know RETURNING and ON CONFLICT. */
export interface Queries {
  /** All rows. Errors: `database_unavailable`, `database_conflict` (a constraint; `details.constraint`). */
  all(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]>;
  /** The first row. Errors: as above. */
  get(sql: string, ...values: readonly SqlValue[]): Promise<Row | undefined>;
  /** How many rows were changed. Errors: as above. */
  run(sql: string, ...values: readonly SqlValue[]): Promise<number>;
}

/** One database: a file of SQLite that this process owns, or a PostgreSQL that several nodes share. */
export interface Database extends Queries, AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres';
  /**
   * Runs `work` in one transaction, which is repeated when the database asks for it (deadlock, serialization): `work` must
   * have no other effect. Errors: those of `work`, `database_unavailable`.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Whether it answers now. */
  isReachable(): Promise<boolean>;
}
