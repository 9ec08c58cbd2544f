import { numberOf, textOf, type Database, type Queries } from '../database/index.js';
import type { AuditEntry } from './billing.js';
import type { Page, PageQuery } from './pages.js';
import { limitOf, toPage, type Cursors } from './cursor.js';
import { AUDIT } from './schema/tables.js';

/** A change that somebody made: no secret, no prompt. */
export interface Change {
  /** Who, such as `cli:root` or `operator@127.0.0.1`. */
  readonly actor: string;
  /** Such as `key.create`. */
  readonly action: string;
  /** Such as `account:acc_…`. */
  readonly target: string;
  /** What changed: names and their new values. */
  readonly diff: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** Characters of a text of an entry. */
const MAX_TEXT = 1_000;

/** Writes a change in the transaction that makes it: there is no change without its entry. */
export async function recordChange(queries: Queries, change: Change): Promise<void> {
  const diff = JSON.stringify(change.diff, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  const row = {
    at_ms: change.atMs,
    actor: clean(change.actor),
    action: change.action,
    target: clean(change.target),
    diff: diff.slice(0, 16 * MAX_TEXT),
  };
  await queries.insert(AUDIT, [row]);
}

/** The newest changes first. Errors: `invalid_value`. */
export async function listChanges(database: Database, cursors: Cursors, query: PageQuery): Promise<Page<AuditEntry>> {
  const limit = limitOf(query);
  const [before = Number.MAX_SAFE_INTEGER] = cursors.read('audit', query.cursor) ?? [];
  const rows = await database.all(
    'SELECT * FROM audit_entry WHERE seq < $1 ORDER BY seq DESC LIMIT $2',
    before,
    limit + 1,
  );
  const entries = rows.map((row) => ({
    seq: numberOf(row, 'seq'),
    atMs: numberOf(row, 'at_ms'),
    actor: textOf(row, 'actor') ?? '',
    action: textOf(row, 'action') ?? '',
    target: textOf(row, 'target') ?? '',
    diff: textOf(row, 'diff') ?? '',
  }));
  return toPage(entries, limit, ({ seq }) => cursors.write('audit', [seq]));
}

function clean(text: string): string {
  return text.slice(0, MAX_TEXT).replaceAll('\0', '').toWellFormed();
}
