import type { Client } from 'pg';
import { systemClock, type Clock, type LogEntry } from '../../base/index.js';
import type { Database } from '../database.js';
import { connectionOf, addressOf } from './connection.js';
import { PostgresDatabase } from './postgres-database.js';
import { toOpenError } from './postgres-errors.js';

/** How a PostgreSQL is reached. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?sslmode=…`. */
  readonly url: string;
  /** Connections of this node; default 10. */
  readonly poolSize?: number;
  readonly clock?: Clock;
  readonly log?: (entry: LogEntry) => void;
}

/** Connections of a node. A transaction takes some milliseconds, so ten connections carry thousands a second. */
const POOL_SIZE = 10;
/** How long an unused connection is kept. */
const IDLE_CONNECTION_MS = 30_000;

/**
 * Opens a pool of connections. The first connection is made here, so a wrong address fails at once. Later the database may go
 * away and come back. Errors: `database_unavailable`, `database_refused`.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, poolSize = POOL_SIZE, clock = systemClock, log = () => {} } = options;
  // Loaded at its first use: SQLite does not need it.
  const { default: pg } = await import('pg');
  const config = connectionOf(url, pg.types);
  const pool = new pg.Pool({ ...config, max: poolSize, idleTimeoutMillis: IDLE_CONNECTION_MS });
  // A broken connection also emits this event, which would end the process without a listener.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  const connect = (statementMs?: number): Client => new pg.Client(connectionOf(url, pg.types, statementMs));
  const place = addressOf(url);
  const database = new PostgresDatabase({ pool, connect, place, clock, log });
  try {
    await database.get('SELECT 1 AS one');
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw toOpenError(error, place);
  }
}
