import { chmodSync, closeSync, openSync } from 'node:fs';
import { AppError, describe, isAppError, isError, toFileError } from '../../base/index.js';
import type { Store, StoreKind, StoreOptions } from '../../database/index.js';

/** A database file with its migrations. */
export interface DatabaseOptions extends StoreOptions {
  readonly kind: StoreKind;
  readonly migrations: readonly string[];
}

/**
 * Opens a database file of mode 0600 and migrates it to the newest version. Errors: `metering_database_invalid`,
 * `metering_in_use`, and those of files.
 */
export async function openMeterDatabase({ kind, migrations, ...options }: DatabaseOptions): Promise<Store> {
  const { path } = options;
  try {
    // SQLite creates its other files with this mode.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    throw toFileError(error, 'write', path);
  }
  try {
    const store = await kind.open(options);
    try {
      migrate(store, migrations, path);
    } catch (error) {
      store.close();
      throw error;
    }
    return store;
  } catch (error) {
    throw toDatabaseError(error, path);
  }
}

function migrate(store: Store, migrations: readonly string[], path: string): void {
  const version = Number(store.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  if (version > migrations.length) {
    const message = `${path} has version ${version}, and this program knows ${migrations.length}; it was written by a newer one: use that, or a backup from before`;
    throw new AppError('metering_database_invalid', message, { path, version, known: migrations.length });
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    store.exec('BEGIN IMMEDIATE');
    try {
      store.exec(sql);
      store.exec('COMMIT');
    } catch (error) {
      store.exec('ROLLBACK');
      throw error;
    }
  }
}

function toDatabaseError(error: unknown, path: string): unknown {
  if (isAppError(error) || !isError(error)) return error;
  const { message: reason } = error;
  if (/database is locked/.test(reason)) {
    const message = `${path} is open in another process; stop that, or ask it`;
    return new AppError('metering_in_use', message, { path }, { cause: error });
  }
  if (/readonly|read-only/.test(reason)) {
    const message = `${path} cannot be written: ${reason}; give this user access, or choose another place`;
    return new AppError('access_denied', message, { path }, { cause: error });
  }
  if (/full/.test(reason)) {
    const message = `${path} cannot be written: ${reason}; make room there, or choose another place`;
    return new AppError('disk_full', message, { path }, { cause: error });
  }
  const message = `${path} cannot be used: ${describe(reason)}; put it aside, or put a backup in its place`;
  return new AppError('metering_database_invalid', message, { path }, { cause: error });
}
