import type { Client } from 'pg';
import type { Migration } from '../database.js';
import { checkVersion, VERSION_TABLE } from '../schema-version.js';
import type { Row } from '../stores/store.js';
import { toStatementError } from './postgres-errors.js';

/** The advisory lock of migrations: any number that no other user of this database takes. */
const LOCK = 7_368_143_021n;
/** A migration may rewrite a table. */
const MIGRATION_MS = 600_000;

/** Brings a schema to its newest version, on a connection of its own that holds the lock for as long as it lives. */
export async function migratePostgres(
  { connect, place }: { readonly connect: (statementMs: number) => Client; readonly place: string },
  scope: string,
  migrations: readonly Migration[],
): Promise<number> {
  const client = connect(MIGRATION_MS);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query(inPostgres(VERSION_TABLE));
    const { rows } = await client.query<Row>('SELECT version FROM schema_version WHERE scope = $1', [scope]);
    const version = checkVersion(place, scope, rows[0], migrations.length);
    for (const [index, { sql, postgres = '' }] of migrations.entries()) {
      if (index >= version) await takeStep(client, `${inPostgres(sql)};${postgres}`, scope, index + 1);
    }
    return migrations.length - version;
  } catch (error) {
    throw toStatementError(error, place);
  } finally {
    await client.end();
  }
}

async function takeStep(client: Client, sql: string, scope: string, version: number): Promise<void> {
  const set = 'INSERT INTO schema_version VALUES ($1, $2) ON CONFLICT (scope) DO UPDATE SET version = $2';
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await client.query(set, [scope, version]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Texts are compared by their bytes, as SQLite does, whatever the locale of the database: pages go on behind a text. */
function inPostgres(sql: string): string {
  return sql.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}
