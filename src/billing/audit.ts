import { integerOf, textOf, type Database, type Queries } from '../database/index.js';
import {
  AUDIT_BATCH,
  AUDIT_GENESIS_HASH,
  toAuditEntry,
  toChainedEntry,
  verifyChain,
  type AuditCheck,
  type AuditEntry,
  type AuditEvent,
  type WantedEntries,
} from '../metering/index.js';
import { pageLimitOf, toPage, type Cursors } from './cursor.js';
import type { Page, PageQuery } from './pages.js';
import { AUDIT_TABLE } from './schema/tables.js';

/** An action of an operator or a customer, and how it ended: no secret, no prompt. */
export interface Change extends Pick<AuditEvent, 'action' | 'target' | 'diff' | 'reason'> {
  /** The actor, such as `cli:root`, `operator` or `key:hk_…`. */
  readonly actor: string;
  /** Absent: `ok`. */
  readonly outcome?: AuditEvent['outcome'];
  readonly atMs: number;
}

/** The audit log of changes. */
export interface AuditBooks {
  /** The newest first. Errors: `invalid_value`. */
  list(query: PageQuery & WantedEntries): Promise<Page<AuditEntry>>;
  /** Entries with a greater `seq`, in order: at most `AUDIT_BATCH`. */
  read(after: number): Promise<readonly AuditEntry[]>;
  /** Whether every entry follows from the one before it. */
  verify(): Promise<AuditCheck>;
  /** Writes an entry for an action that changes no row, or that was not done. */
  record(change: Omit<Change, 'atMs'>): Promise<void>;
}

/** The column of times. */
const TIME = 'at_ms';

/**
 * Writes an entry in the transaction of its change: no change lacks its entry. Callers lock nothing after it, since
 * every node waits for the newest entry. Errors: those of the database.
 */
export async function recordChange(queries: Queries, change: Change): Promise<void> {
  const { actor, action, target, outcome = 'ok', reason, diff, atMs } = change;
  const head = (await queries.get('SELECT seq, hash FROM audit_head WHERE one = 1 FOR UPDATE')) ?? {};
  const by = actor.startsWith('key:') ? (await namesOf(queries, actor))['name'] : undefined;
  const names = diff !== undefined && 'name' in diff ? {} : await namesOf(queries, target);
  const event: AuditEvent = {
    actor: { kind: actor },
    action,
    target,
    outcome,
    ...(reason !== undefined && { reason }),
    diff: { ...names, ...diff, ...(by !== undefined && { by_name: by }) },
  };
  const entry = toChainedEntry(event, integerOf(head, 'seq') + 1, atMs, textOf(head, 'hash') ?? AUDIT_GENESIS_HASH);
  const { seq, prevHash, hash } = entry;
  const row = { seq, at_ms: atMs, actor: entry.actor, action: entry.action, target: entry.target, diff: entry.diff };
  await queries.insert(AUDIT_TABLE, [
    { ...row, outcome: entry.outcome, reason: entry.reason, prev_hash: prevHash, hash },
  ]);
  await queries.run('UPDATE audit_head SET seq = $1, hash = $2 WHERE one = 1', seq, hash);
}

/** The name of a key or an account, and the name of a key's account: readers do not know ids. */
async function namesOf(queries: Queries, target: string): Promise<Readonly<Record<string, string | undefined>>> {
  const [, kind, id = ''] = /^(key|account):(.+)$/.exec(target) ?? [];
  if (kind === undefined) return {};
  const sql =
    kind === 'account'
      ? 'SELECT name FROM account WHERE id = $1'
      : `SELECT account_key.name AS name, account.name AS account_name
           FROM account_key JOIN account ON account.id = account_key.account_id WHERE account_key.id = $1`;
  const row = await queries.get(sql, id);
  if (row === undefined) return {};
  return { name: textOf(row, 'name'), ...(kind === 'key' && { account_name: textOf(row, 'account_name') }) };
}

/** The audit log of a database. */
export function createAuditBooks(database: Database, cursors: Cursors, now: () => number): AuditBooks {
  const readFrom = async (queries: Queries, after: number, upTo: number): Promise<readonly AuditEntry[]> =>
    (
      await queries.all(
        'SELECT * FROM audit_entry WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3',
        after,
        upTo,
        AUDIT_BATCH,
      )
    ).map((row) => toAuditEntry(row, TIME));
  return {
    async list(query) {
      const { cursor, limit: _, ...filters } = query;
      const limit = pageLimitOf(query);
      const list = `audit ${JSON.stringify(filters)}`;
      const [before = Number.MAX_SAFE_INTEGER] = cursors.read(list, cursor) ?? [];
      const { conditions, values } = toConditions(filters, before);
      const sql = `SELECT * FROM audit_entry WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT ${limit + 1}`;
      const rows = await database.all(sql, ...values);
      return toPage(
        rows.map((row) => toAuditEntry(row, TIME)),
        limit,
        ({ seq }) => cursors.write(list, [seq]),
      );
    },
    read: (after) => readFrom(database, after, Number.MAX_SAFE_INTEGER),
    verify: () =>
      database.read(async (queries) => {
        const head = (await queries.get('SELECT seq, hash FROM audit_head WHERE one = 1')) ?? {};
        const last = integerOf(head, 'seq');
        const lastHash = textOf(head, 'hash') ?? AUDIT_GENESIS_HASH;
        return verifyChain((after) => readFrom(queries, after, last), {
          anchor: AUDIT_GENESIS_HASH,
          before: 0,
          last,
          lastHash,
        });
      }),
    record: (change) => database.transaction((queries) => recordChange(queries, { ...change, atMs: now() })),
  };
}

function toConditions({ actor, action, target, outcome, fromMs, toMs }: WantedEntries, before: string | number) {
  const values: (string | number)[] = [before];
  const value = (given: string | number): string => `$${values.push(given)}`;
  const begins = (column: string, text: string | undefined): readonly string[] =>
    text === undefined ? [] : [`substr(${column}, 1, ${[...text].length}) = ${value(text)}`];
  const conditions = [
    'seq < $1',
    ...begins('actor', actor),
    ...begins('action', action),
    ...begins('target', target),
    ...(outcome === undefined ? [] : [`outcome = ${value(outcome)}`]),
    ...(fromMs === undefined ? [] : [`at_ms >= ${value(fromMs)}`]),
    ...(toMs === undefined ? [] : [`at_ms < ${value(toMs)}`]),
  ];
  return { conditions, values };
}
