import type { ClientBase, Pool } from 'pg';
import { columnsOf } from '../columns.js';
import type { ColumnType, NewRow, Queries, SqlParameter, Table } from '../database.js';
import type { Row } from '../stores/store.js';
import { toStatementError } from './postgres-errors.js';

/** Statements that a connection keeps prepared. */
const MAX_NAMED = 500;

/** Names of prepared statements by their texts: the same on every connection. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** Undefined for a statement that is not kept. */
  nameOf(sql: string): string | undefined {
    const found = this.#names.get(sql);
    if (found !== undefined || this.#names.size >= MAX_NAMED) return found;
    const name = `s${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}

const CASTS: Readonly<Record<ColumnType, string>> = { text: 'text[]', bigint: 'bigint[]', integer: 'integer[]' };

/** Statements on a connection, or on any of a pool. */
export class PostgresQueries implements Queries {
  readonly #on: ClientBase | Pool;
  readonly #names: StatementNames;
  readonly #place: string;

  constructor(on: ClientBase | Pool, names: StatementNames, place: string) {
    this.#on = on;
    this.#names = names;
    this.#place = place;
  }

  async all(sql: string, ...values: readonly SqlParameter[]): Promise<readonly Row[]> {
    return (await this.#query(sql, values)).rows;
  }

  async get(sql: string, ...values: readonly SqlParameter[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0];
  }

  async run(sql: string, ...values: readonly SqlParameter[]): Promise<number> {
    return (await this.#query(sql, values)).count;
  }

  async insert<C extends string>(table: Table<C>, rows: readonly NewRow<C>[], orIgnore = false): Promise<number> {
    if (rows.length === 0) return 0;
    const columns = columnsOf(rows);
    const rest = orIgnore ? ' ON CONFLICT DO NOTHING' : '';
    const sql = `INSERT INTO ${table.name} (${columns.join(', ')}) SELECT * FROM ${lists(table, columns)}${rest}`;
    return (await this.#query(sql, toLists(columns, rows))).count;
  }

  async add<C extends string>(
    table: Table<C>,
    keys: readonly NoInfer<C>[],
    rows: readonly NewRow<C>[],
  ): Promise<number> {
    if (rows.length === 0) return 0;
    const columns = columnsOf(rows);
    const sums = columns
      .filter((name) => !keys.includes(name))
      .map((name) => {
        const value = table.columns[name] === 'text' ? '' : `${table.name}.${name} + `;
        return `${name} = ${value}added.${name}`;
      });
    const where = keys.map((name) => `${table.name}.${name} = added.${name}`).join(' AND ');
    const sql = `UPDATE ${table.name} SET ${sums.join(', ')} FROM ${lists(table, columns)} AS added (${columns.join(', ')}) WHERE ${where}`;
    return (await this.#query(sql, toLists(columns, rows))).count;
  }

  async notify(channel: string, payload: string): Promise<void> {
    await this.#query('SELECT pg_notify($1, $2)', [channel, payload]);
  }

  async #query(sql: string, values: readonly unknown[]): Promise<{ rows: readonly Row[]; count: number }> {
    try {
      const name = this.#names.nameOf(sql);
      const result = await this.#on.query<Row>({ text: sql, values: [...values], ...(name !== undefined && { name }) });
      return { rows: result.rows, count: result.rowCount ?? 0 };
    } catch (error) {
      throw toStatementError(error, this.#place);
    }
  }
}

function lists<C extends string>(table: Table<C>, columns: readonly C[]): string {
  return `unnest(${columns.map((name, i) => `$${i + 1}::${CASTS[table.columns[name]]}`).join(', ')})`;
}

/** One list for each column. */
function toLists<C extends string>(columns: readonly C[], rows: readonly NewRow<C>[]): readonly unknown[] {
  return columns.map((name) => rows.map((row) => row[name] ?? null));
}
