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
/** Subjects that are read at a start: any other is looked up when it changes. */
const MAX_READ = 100_000;

/** The state of a subject, and since when. */
export interface Said {
  readonly state: string;
  readonly atMs: number;
}

/** The table of sent alerts. */
export interface SaidTable {
  /** As this process knows it; undefined: nothing was said. */
  get(subject: string): Said | undefined;
  /**
   * Sets the state of a subject. Gives what it was before where `isNews` says that the change needs an event, and no other
   * node has sent it; the state of before is empty where there was none. Errors: `database_unavailable`.
   */
  claim(subject: string, state: string, isNews: (before: string) => boolean): Promise<Said | undefined>;
}

/** Opens the table in a database, and removes what is old. Errors: those of the database. */
export async function openSaidTable(database: Database, now: () => number): Promise<SaidTable> {
  await database.migrate('alerts', migrations);
  await database.run('DELETE FROM alert_said WHERE at_ms < $1', Math.floor(now() - KEPT_MS));
  const rows = await database.all(
    'SELECT subject, state, at_ms FROM alert_said ORDER BY at_ms DESC LIMIT $1',
    MAX_READ,
  );
  const known = new Map(rows.map((row): [string, Said] => [textOf(row, 'subject') ?? '', toSaid(row)]));
  return {
    get: (subject) => known.get(subject),
    async claim(subject, state, isNews) {
      const atMs = Math.floor(now());
      const before = await database.transaction(async (queries) => {
        const add = "INSERT INTO alert_said VALUES ($1, '', $2) ON CONFLICT (subject) DO NOTHING";
        await queries.run(add, subject, atMs);
        const row = await queries.get('SELECT state, at_ms FROM alert_said WHERE subject = $1 FOR UPDATE', subject);
        const found = row === undefined ? { state: '', atMs } : toSaid(row);
        if (found.state !== state) {
          await queries.run('UPDATE alert_said SET state = $2, at_ms = $3 WHERE subject = $1', subject, state, atMs);
        }
        return found;
      });
      // Another process may have set it before.
      if (known.size < MAX_READ || known.has(subject)) known.set(subject, { state, atMs });
      return before.state !== state && isNews(before.state) ? before : undefined;
    },
  };
}

function toSaid(row: Row): Said {
  return { state: textOf(row, 'state') ?? '', atMs: integerOf(row, 'at_ms') };
}
