import { closeSync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory, syncDirectory, throwFileError, toFileError } from '../../base/index.js';
import type { Store } from '../../database/index.js';
import { AUDIT_FILE, METERING_FILE } from './files.js';

/** Copies both databases into a new directory. Errors: those of files. */
export async function copyDatabases(
  directory: string,
  { store, auditStore }: { readonly store: Store; readonly auditStore: Store },
): Promise<void> {
  await makeDirectory(join(directory, '..')).catch(throwFileError('write', directory));
  await mkdir(directory, { mode: 0o700 }).catch(throwFileError('write', directory));
  copy(store, join(directory, METERING_FILE));
  copy(auditStore, join(directory, AUDIT_FILE));
  await syncDirectory(directory);
}

/** SQLite writes into an empty file that is there, and leaves its mode. */
function copy(store: Store, path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw toFileError(error, 'write', path);
  }
  store.prepare('VACUUM INTO ?1').run(path);
}
