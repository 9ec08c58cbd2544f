import { AppError, isError, type LogEntry } from '../../base/index.js';
import { numberOf, textOf, type Statement, type Store } from '../../database/index.js';
import { hashOf, NO_HASH, toEntry, type AuditEntry, type AuditEvent } from './audit-entry.js';
import { openAuditPages, type AuditPage, type AuditPageQuery } from './audit-pages.js';
import { toAuditEntry } from './audit-row.js';

/** What `verify` found. */
export interface AuditCheck {
  readonly entries: number;
  readonly ok: boolean;
  /** The `seq` of the first entry that does not follow from the one before it. */
  readonly firstBad?: number;
}

/** What of the audit log is read. */
export interface AuditQuery {
  /** Only entries with a greater `seq`, the oldest first. Absent: the newest. */
  readonly after?: number;
  readonly limit: number;
}

/** What an audit log is made of. */
export interface AuditOptions {
  /** Whose commits are on the disk (fsync). */
  readonly store: Store;
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
}

/** Entries that are read, checked or removed at once. */
const BATCH = 1000;

/** Who changed what, each entry with the hash of the one before it. An entry is on the disk when `append` resolves. */
export class AuditLog {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #log: (entry: LogEntry) => void;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;
  readonly #page: (query: AuditPageQuery) => AuditPage;
  #seq: number;
  #lastHash: string;

  constructor({ store, now, log }: AuditOptions) {
    this.#store = store;
    this.#now = now;
    this.#log = log;
    this.#statements = {
      insert: store.prepare(SQL.insert),
      after: store.prepare(SQL.after),
      newest: store.prepare(SQL.newest),
      anchor: store.prepare(SQL.anchor),
      setAnchor: store.prepare(SQL.setAnchor),
      lastBefore: store.prepare(SQL.lastBefore),
      remove: store.prepare(SQL.remove),
    };
    this.#page = openAuditPages(store);
    const last = this.#statements.newest.get(1);
    this.#seq = last === undefined ? 0 : numberOf(last, 'seq');
    this.#lastHash = last === undefined ? this.#anchor() : (textOf(last, 'hash') ?? NO_HASH);
  }

  /** Writes an entry. Errors: `audit_unavailable`. */
  async append(event: AuditEvent): Promise<void> {
    const entry = toEntry(event, this.#seq + 1, Math.round(this.#now()), this.#lastHash);
    const { seq, atMs, actor, action, target, outcome, reason, diff, prevHash, hash } = entry;
    try {
      this.#statements.insert.run(seq, atMs, actor, action, target, outcome, reason, diff, prevHash, hash);
    } catch (error) {
      const why = isError(error) ? error.message : String(error);
      this.#log({ event: 'audit unavailable', action, reason: why });
      const message = `the audit log cannot be written (${why}), so nothing was changed; make room on the disk, or make it writable`;
      throw new AppError('audit_unavailable', message, { action, reason: why }, { cause: error });
    }
    this.#seq = seq;
    this.#lastHash = hash;
  }

  /** Walks the whole chain. Reads between turns of the event loop, so that others are served. */
  async verify(): Promise<AuditCheck> {
    let prevHash = this.#anchor();
    let entries = 0;
    let last = 0;
    for (;;) {
      const batch = this.#statements.after.all(last, BATCH).map(toAuditEntry);
      for (const entry of batch) {
        const isNext = entries === 0 || entry.seq === last + 1;
        if (!isNext || entry.prevHash !== prevHash || entry.hash !== hashOf(entry)) {
          return { entries, ok: false, firstBad: entry.seq };
        }
        ({ hash: prevHash, seq: last } = entry);
        entries++;
      }
      if (batch.length < BATCH) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    // What this process wrote last must be there: nothing was cut off at the end.
    const ok = last === this.#seq;
    return ok ? { entries, ok } : { entries, ok, firstBad: last + 1 };
  }

  /** Entries in the order of `seq`. */
  read({ after, limit }: AuditQuery): readonly AuditEntry[] {
    const { after: following, newest } = this.#statements;
    if (after !== undefined) return following.all(after, limit).map(toAuditEntry);
    return newest.all(limit).map(toAuditEntry).toReversed();
  }

  /** A page by filters. */
  page(query: AuditPageQuery): AuditPage {
    return this.#page(query);
  }

  /** Removes entries from before a time. The chain then begins where it was cut. */
  async removeBefore(atMs: number): Promise<void> {
    const last = this.#statements.lastBefore.get(atMs, this.#seq);
    if (last === undefined) return;
    const [seq, hash] = [numberOf(last, 'seq'), textOf(last, 'hash') ?? NO_HASH];
    await this.append({
      actor: { kind: 'system' },
      action: 'audit.remove',
      target: 'audit',
      outcome: 'ok',
      reason: 'older than the retention',
      diff: { upToSeq: seq, hash },
    });
    this.#store.exec('BEGIN IMMEDIATE');
    try {
      this.#statements.setAnchor.run(hash);
      this.#statements.remove.run(seq);
      this.#store.exec('COMMIT');
    } catch (error) {
      this.#store.exec('ROLLBACK');
      throw error;
    }
  }

  /** The hash that the first entry follows. */
  #anchor(): string {
    const row = this.#statements.anchor.get();
    return row === undefined ? NO_HASH : (textOf(row, 'hash') ?? NO_HASH);
  }
}

const SQL = {
  insert: `INSERT INTO entry (seq, ts_ms, actor, action, target, outcome, reason, diff, prev_hash, hash)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
  after: 'SELECT * FROM entry WHERE seq > ?1 ORDER BY seq LIMIT ?2',
  newest: 'SELECT * FROM entry ORDER BY seq DESC LIMIT ?1',
  anchor: 'SELECT hash FROM anchor',
  setAnchor: 'INSERT OR REPLACE INTO anchor (only_row, hash) VALUES (1, ?1)',
  // The newest entry stays, whatever its age: the chain goes on from it.
  lastBefore: 'SELECT seq, hash FROM entry WHERE ts_ms < ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1',
  remove: 'DELETE FROM entry WHERE seq <= ?1',
} as const;
