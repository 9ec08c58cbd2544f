import { integerOf, textOf, type Database, type Migration, type Row } from '../database/index.js';

/** The last alert about each subject: no alert is sent twice, by this process, the next one, or another node. */
const migrations: readonly Migration[] = [
  {
    sql: `
    CREATE TABLE alert_said (
      subject TEXT PRIMARY KEY,
      state TEXT NOT NULL,
      at_ms BIGINT NOT NULL
    );
    `,
  },
];

/** Longer than every window of a budget; an older alert may be sent again. */
const KEPT_MS = 400 * 86_400_000;
/** Servers that are read at a start: more than a product has. */
const MAX_DOWN = 10_000;
/** The state of a subject, and since when. */
export interface Said {
  readonly state: string;
  readonly atMs: number;
}

/** A change of a subject that this process made. */
export interface SaidChange {
  readonly before: Said;
  readonly state: string;
}

/** The table of sent alerts. Only the database knows them: any node may have sent one. */
export interface SaidTable {
  /** Servers that were down when the table was opened. */
  readonly wereDown: readonly string[];
  /** The state of a subject; empty if no alert was sent. Errors: `database_unavailable`. */
  get(subject: string): Promise<string>;
  /**
   * Sets the state of a subject to the result of `next` for the state before, which is empty at first. Undefined: the
   * state is already so, since another node was first. Errors: `database_unavailable`.
   */
  change(subject: string, next: (before: string) => string): Promise<SaidChange | undefined>;
}

/** Opens the table in a database, and removes old rows. Errors: those of the database. */
export async function openSaidTable(database: Database, now: () => number): Promise<SaidTable> {
  await database.migrate('alerts', migrations);
  await database.run('DELETE FROM alert_said WHERE at_ms < $1', Math.floor(now() - KEPT_MS));
  const down = await database.all("SELECT subject FROM alert_said WHERE state = 'down' LIMIT $1", MAX_DOWN);
  return {
    wereDown: down.map((row) => textOf(row, 'subject') ?? ''),
    async get(subject) {
      const row = await database.get('SELECT state FROM alert_said WHERE subject = $1', subject);
      return (row && textOf(row, 'state')) ?? '';
    },
    async change(subject, next) {
      const atMs = Math.floor(now());
      return database.transaction(async (queries) => {
        const add = "INSERT INTO alert_said VALUES ($1, '', $2) ON CONFLICT (subject) DO NOTHING";
        await queries.run(add, subject, atMs);
        const row = await queries.get('SELECT state, at_ms FROM alert_said WHERE subject = $1 FOR UPDATE', subject);
        const before = row === undefined ? { state: '', atMs } : toSaid(row);
        const state = next(before.state);
        if (before.state === state) return undefined;
        await queries.run('UPDATE alert_said SET state = $2, at_ms = $3 WHERE subject = $1', subject, state, atMs);
        return { before, state };
      });
    },
  };
}

function toSaid(row: Row): Said {
  return { state: textOf(row, 'state') ?? '', atMs: integerOf(row, 'at_ms') };
}
