// One SQL for SQLite and PostgreSQL, and the SQLites that this Node has.
export { amountOf, cleanText, integerOf, textOf, toFlag } from './cells.js';
export type { CommitBehind, Database, Migration, NewRow, Queries, SqlParameter, Table } from './database.js';
export { openPostgres, type PostgresOptions } from './postgres/open-postgres.js';
export { openSqlite, type SqliteOptions } from './sqlite/open-sqlite.js';
export { preferredStore, stores } from './stores/index.js';
export type { Row, SqlValue, Statement, Store, StoreKind, StoreOptions } from './stores/store.js';
