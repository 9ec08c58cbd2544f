// The interface of an SQLite: synchronous, parameters only.

/** A value as SQLite takes it. Texts are well-formed and have no U+0000, at which SQLite's own functions end them. */
export type SqlValue = number | bigint | string | null;

/** A row as SQLite gives it. An integer is a number where that is exact, and a bigint elsewhere. */
export type Row = Readonly<Record<string, SqlValue>>;

/** A statement that was compiled once. Parameters are `?1`, `?2`, … */
export interface Statement {
  /** How many rows were changed. */
  run(...values: readonly SqlValue[]): number;
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): readonly Row[];
}

/** What a commit survives: `process` the death of the process, `machine` also that of the machine (fsync). */
export type Durability = 'process' | 'machine';

/** How a database file is opened. */
export interface StoreOptions {
  readonly path: string;
  readonly durability: Durability;
}

/** An open database file, locked against every other process. */
export interface Store {
  /** Runs SQL without parameters; several statements are allowed. */
  exec(sql: string): void;
  /** Compiles a statement, which lives as long as the store. */
  prepare(sql: string): Statement;
  /** Closes the file. A second call does nothing. */
  close(): void;
}

/** One implementation of SQLite. */
export interface StoreKind {
  readonly name: string;
  /** Whether this Node has it. */
  isAvailable(): boolean;
  /** Opens the file, or makes it. Errors: those of SQLite. */
  open(options: StoreOptions): Promise<Store>;
}
