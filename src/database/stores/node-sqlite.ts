import type { Durability, Row, SqlValue, Statement, Store, StoreKind, StoreOptions } from './store.js';

/** The used part of `node:sqlite`, which the type declarations of Node 20 lack. */
interface NodeStatement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  get(...values: readonly SqlValue[]): Record<string, unknown> | undefined;
  all(...values: readonly SqlValue[]): Record<string, unknown>[];
  setReadBigInts(isOn: boolean): void;
}
interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => NodeDatabase;
}

/** Node's own SQLite: from 22.13 on without a flag. With a write-ahead log, which costs a commit no fsync. */
export const nodeSqlite: StoreKind = {
  name: 'node:sqlite',
  isAvailable: () => findNodeSqlite() !== undefined,
  async open(options) {
    const sqlite = findNodeSqlite();
    if (sqlite === undefined) throw new Error('this Node has no node:sqlite');
    const database = new sqlite.DatabaseSync(options.path);
    try {
      configure(database, options);
    } catch (error) {
      database.close();
      throw error;
    }
    return toStore(database);
  },
};

function findNodeSqlite(): NodeSqlite | undefined {
  return process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
}

const SYNCHRONOUS: Readonly<Record<Durability, string>> = {
  process: 'PRAGMA synchronous = NORMAL',
  machine: 'PRAGMA synchronous = FULL',
};

function configure(database: NodeDatabase, { durability }: StoreOptions): void {
  // Exclusive before the log is made: no shared memory file, and a second process is refused.
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');
  database.exec(SYNCHRONOUS[durability]);
  database.exec('BEGIN EXCLUSIVE; COMMIT');
}

function toStore(database: NodeDatabase): Store {
  let isOpen = true;
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => toStatement(database.prepare(sql)),
    close() {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}

function toStatement(statement: NodeStatement): Statement {
  statement.setReadBigInts(true);
  return {
    run: (...values) => Number(statement.run(...values).changes),
    get(...values) {
      const row = statement.get(...values);
      return row && toRow(row);
    },
    all: (...values) => statement.all(...values).map(toRow),
  };
}

/** Integers come as bigints; those that a number holds exactly become numbers. Done in place: rows come in thousands. */
function toRow(row: Record<string, unknown>): Row {
  for (const name in row) {
    const value = row[name];
    if (typeof value !== 'bigint') continue;
    const number = Number(value);
    if (Number.isSafeInteger(number)) row[name] = number;
  }
  return row as Row;
}
