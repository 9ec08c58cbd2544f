import { present } from '../../base/index.js';
import { nodeSqlite } from './node-sqlite.js';
import type { StoreKind } from './store.js';
import { wasmSqlite } from './wasm-sqlite.js';

/** Every implementation of SQLite, the preferred first. */
export const stores: readonly StoreKind[] = [nodeSqlite, wasmSqlite];

/** The one that this Node uses. */
export function preferredStore(): StoreKind {
  return present(
    stores.find((kind) => kind.isAvailable()),
    'the last one is always there',
  );
}
