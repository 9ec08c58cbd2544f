/** A statement in the dialect of PostgreSQL as SQLite takes it. Only what `database.ts` names is translated. */
export function toSqlite(sql: string): string {
  return sql
    .replaceAll(/= ANY\(\$(\d+)::text\[\]\)/g, 'IN (SELECT value FROM json_each(?$1))')
    .replaceAll(/\$(\d+)/g, '?$1')
    .replaceAll(/\sFOR UPDATE(?: SKIP LOCKED)?\b/g, '');
}
