// All that databases have, as text.
import { Redis } from 'iovalkey';
import { textOf, type Database } from '../../../src/database/index.js';

/** Every row of every table, by the name of the table. There are no columns of bytes. */
const TABLES = `
  SELECT tablename AS name,
         query_to_xml(format('SELECT * FROM %I.%I', schemaname, tablename), true, true, '')::text AS rows
  FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;

/** The rows of every table of a PostgreSQL, by its name. */
export async function dumpPostgres(database: Database): Promise<ReadonlyMap<string, string>> {
  const tables = await database.all(TABLES);
  return new Map(tables.map((row) => [textOf(row, 'name') ?? '', textOf(row, 'rows') ?? '']));
}

/** Every key of a Valkey and its value. */
export async function dumpValkey(url: string): Promise<string> {
  const valkey = new Redis(url);
  try {
    const keys = await valkey.keys('*');
    const values = await Promise.all(keys.map((key) => valkey.get(key)));
    return JSON.stringify([keys, values]);
  } finally {
    valkey.disconnect();
  }
}
