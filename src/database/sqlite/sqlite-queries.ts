import { assert } from '../../base/index.js';
import { columnsOf } from '../columns.js';
import type { NewRow, Queries, SqlParameter, Table } from '../database.js';
import type { Row, SqlValue, Statement, Store } from '../stores/store.js';
import { toStatementError } from './sqlite-errors.js';

/** Statements that stay compiled: billing has fewer than a hundred. */
const MAX_STATEMENTS = 500;

/** Runs statements on an open file at once: the caller has the turn. */
export class SqliteQueries implements Queries {
  readonly #store: Store;
  readonly #path: string;
  readonly #statements = new Map<string, Statement>();
  /** Notifications to send when the transaction is committed. */
  readonly #notices: { readonly channel: string; readonly payload: string }[] = [];

  constructor(store: Store, path: string) {
    this.#store = store;
    this.#path = path;
  }

  async all(sql: string, ...values: readonly SqlParameter[]): Promise<readonly Row[]> {
    return this.#do(() => this.#statement(sql).all(...values.map(toValue)));
  }

  async get(sql: string, ...values: readonly SqlParameter[]): Promise<Row | undefined> {
    return this.#do(() => this.#statement(sql).get(...values.map(toValue)));
  }

  async run(sql: string, ...values: readonly SqlParameter[]): Promise<number> {
    return this.#do(() => this.#statement(sql).run(...values.map(toValue)));
  }

  async insert<C extends string>(table: Table<C>, rows: readonly NewRow<C>[], orIgnore = false): Promise<number> {
    const columns = columnsOf(rows);
    const places = columns.map((_, i) => `$${i + 1}`).join(', ');
    const rest = orIgnore ? ' ON CONFLICT DO NOTHING' : '';
    return this.#each(`INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${places})${rest}`, columns, rows);
  }

  async add<C extends string>(
    table: Table<C>,
    keys: readonly NoInfer<C>[],
    rows: readonly NewRow<C>[],
  ): Promise<number> {
    const columns = columnsOf(rows);
    const place = (column: C): string => `$${columns.indexOf(column) + 1}`;
    const sums = columns
      .filter((name) => !keys.includes(name))
      .map((name) => `${name} = ${table.columns[name] === 'text' ? '' : `${name} + `}${place(name)}`);
    const where = keys.map((name) => `${name} = ${place(name)}`).join(' AND ');
    return this.#each(`UPDATE ${table.name} SET ${sums.join(', ')} WHERE ${where}`, columns, rows);
  }

  async notify(channel: string, payload: string): Promise<void> {
    this.#notices.push({ channel, payload });
  }

  /** Runs SQL without parameters; several statements are allowed. */
  exec(sql: string): void {
    this.#do(() => this.#store.exec(sql));
  }

  /** Returns and clears the pending notifications. */
  takeNotices(): readonly { readonly channel: string; readonly payload: string }[] {
    return this.#notices.splice(0);
  }

  #each<C extends string>(sql: string, columns: readonly C[], rows: readonly NewRow<C>[]): number {
    if (rows.length === 0) return 0;
    return this.#do(() => {
      const statement = this.#statement(sql);
      return rows.reduce((sum, row) => sum + statement.run(...columns.map((name) => checkWhole(row[name] ?? null))), 0);
    });
  }

  #statement(sql: string): Statement {
    const found = this.#statements.get(sql);
    if (found !== undefined) return found;
    const statement = this.#store.prepare(toSqlite(sql));
    if (this.#statements.size < MAX_STATEMENTS) this.#statements.set(sql, statement);
    return statement;
  }

  #do<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw toStatementError(error, this.#path);
    }
  }
}

/** A list becomes JSON for `json_each`. */
function toValue(value: SqlParameter): SqlValue {
  return Array.isArray(value) ? JSON.stringify(value) : checkWhole(value as SqlValue);
}

/** Refuses a fraction, as PostgreSQL does: there is no column for one, and SQLite would take it in silence. */
function checkWhole(value: SqlValue): SqlValue {
  assert(typeof value !== 'number' || Number.isSafeInteger(value), 'a number in a statement is whole');
  return value;
}

/** A statement in the dialect of PostgreSQL as SQLite takes it. Only what `database.ts` names is translated. */
function toSqlite(sql: string): string {
  return sql
    .replaceAll(/= ANY\(\$(\d+)::text\[\]\)/g, 'IN (SELECT value FROM json_each(?$1))')
    .replaceAll(/\$(\d+)/g, '?$1')
    .replaceAll(/\sFOR UPDATE(?: SKIP LOCKED)?\b/g, '');
}
