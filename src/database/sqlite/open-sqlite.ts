import { chmod, open } from 'node:fs/promises';
import { lockOwner, systemClock, throwFileError, tryLock, type Clock } from '../../base/index.js';
import type { Database } from '../database.js';
import { preferredStore } from '../stores/index.js';
import type { Durability, StoreKind } from '../stores/store.js';
import { inUse, toOpenError } from './sqlite-errors.js';
import { SqliteDatabase } from './sqlite-database.js';

/** How a file is opened. */
export interface SqliteOptions {
  /** A missing file is made with mode 0600; its folder must exist. */
  readonly path: string;
  /** Which SQLite; default: Node's own where it has one. */
  readonly store?: StoreKind;
  /** Default `machine`: commits survive a loss of power. */
  readonly durability?: Durability;
  readonly clock?: Clock;
}

/**
 * Opens a file of SQLite and locks it against every other process. Errors: `database_in_use`, `database_invalid`, and those of
 * files.
 */
export async function openSqlite(options: SqliteOptions): Promise<Database> {
  const { path, store: kind = preferredStore(), durability = 'machine', clock = systemClock } = options;
  const lockPath = `${path}.owner`;
  const lock = await tryLock(lockPath, clock).catch(throwFileError('write', lockPath));
  if (lock === null) throw inUse(path, await lockOwner(lockPath));
  try {
    await makePrivate(path).catch(throwFileError('write', path));
    const store = await kind.open({ path, durability });
    return new SqliteDatabase(store, path, lock);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw toOpenError(error, path);
  }
}

/** SQLite gives its other files the mode of this one. */
async function makePrivate(path: string): Promise<void> {
  await (await open(path, 'a', 0o600)).close();
  await chmod(path, 0o600);
}
