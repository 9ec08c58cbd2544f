import { rmdirSync } from 'node:fs';
import { hasErrorCode } from '../../base/index.js';
import type { Durability, Row, Store, StoreKind } from './store.js';

/**
 * SQLite as WebAssembly, for a Node without its own. It locks with a folder beside the file, which stays when its process dies.
 *
 * It must have a write-ahead log. A rollback journal is not safe here. SQLite undoes an interrupted commit only while the file is
 * unlocked, and the package counts our own lock too (`nodejsCheckReservedLock` in its src/vfs.js). Half a transaction would stay.
 */
export const wasmSqlite: StoreKind = {
  name: 'node-sqlite3-wasm',
  isAvailable: () => true,
  async open({ path, durability }) {
    // Loaded when it is used: its WebAssembly takes 50 ms.
    const { Database } = (await import('node-sqlite3-wasm')).default;
    // The caller holds our own lock, so a remaining lock folder belongs to a dead process.
    removeLock(path);
    const database = new Database(path);
    try {
      // Exclusive before the log is made: there is no shared memory.
      database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');
      database.exec(SYNCHRONOUS[durability]);
      database.exec('BEGIN EXCLUSIVE; COMMIT');
    } catch (error) {
      database.close();
      throw error;
    }
    return toStore(database);
  },
};

const SYNCHRONOUS: Readonly<Record<Durability, string>> = {
  process: 'PRAGMA synchronous = NORMAL',
  machine: 'PRAGMA synchronous = FULL',
};

function removeLock(path: string): void {
  try {
    rmdirSync(`${path}.lock`);
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
  }
}

type WasmDatabase = InstanceType<(typeof import('node-sqlite3-wasm'))['Database']>;
type WasmStatement = ReturnType<WasmDatabase['prepare']>;

function toStore(database: WasmDatabase): Store {
  const finalizers: (() => void)[] = [];
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const { use, finalize } = createStatement(database, sql);
      finalizers.push(finalize);
      return {
        run: (...values) => use((statement) => statement.run([...values]).changes),
        // The package's `get` leaves the statement in the middle of its rows, which blocks other work.
        get: (...values) => use((statement) => statement.all([...values])[0] as Row | undefined),
        all: (...values) => use((statement) => statement.all([...values]) as Row[]),
      };
    },
    close() {
      if (!database.isOpen) return;
      for (const finalize of finalizers.splice(0)) finalize();
      database.close();
    },
  };
}

/** A statement that failed, as on a full disk, cannot be used again: it is compiled anew for its next use. */
function createStatement(database: WasmDatabase, sql: string) {
  let statement: WasmStatement | undefined = database.prepare(sql);
  const finalize = (): void => {
    const done = statement;
    statement = undefined;
    try {
      done?.finalize();
    } catch {
      // `finalize` frees it and throws the earlier failure again.
    }
  };
  const use = <T>(run: (statement: WasmStatement) => T): T => {
    statement ??= database.prepare(sql);
    try {
      return run(statement);
    } catch (error) {
      finalize();
      throw error;
    }
  };
  return { use, finalize };
}
