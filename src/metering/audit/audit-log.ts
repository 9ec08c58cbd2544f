import { AppError, isError, toErrorData, type LogEntry } from '../../base/index.js';
import { integerOf, textOf, type Statement, type Store } from '../../database/index.js';
import { AUDIT_GENESIS_HASH, toChainedEntry, type AuditEntry, type AuditEvent } from './audit-entry.js';
import { openAuditIntents, type AuditIntent, type AuditIntents } from './audit-intents.js';
import { openAuditPages, type AuditPage, type AuditPageQuery } from './audit-pages.js';
import { toAuditEntry } from './audit-row.js';
import { AUDIT_BATCH, verifyChain, type AuditCheck } from './walk-entries.js';

/** A query of the audit log. */
export interface AuditQuery {
  /** Only entries with a greater `seq`, the oldest first. Absent: the newest. */
  readonly after?: number;
  readonly limit: number;
}

/** Options of an audit log. */
export interface AuditOptions {
  /** Whose commits are on the disk (fsync). */
  readonly store: Store;
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
}

/** The outcome of an action in its entry. */
export type AuditEnd = Pick<AuditEvent, 'outcome' | 'reason'>;

/** The result of an action. */
export type ActionOutcome<T> = { readonly value: T } | { readonly error: unknown };

/** An ended action whose entry could not be written yet. */
interface Unwritten {
  readonly event: AuditEvent;
  readonly intent: number;
}

/** The end of an action that was under way when its process ended. */
const UNKNOWN: AuditEnd = { outcome: 'unknown', reason: 'the process ended before the result was known' };

/**
 * The audit log of changes, each entry with the hash of the one before it. `append` resolves once its entry is on the
 * disk.
 */
export class AuditLog {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #log: (entry: LogEntry) => void;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;
  readonly #page: (query: AuditPageQuery) => AuditPage;
  readonly #intents: AuditIntents;
  #unwritten: readonly Unwritten[];
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
    this.#seq = last === undefined ? 0 : integerOf(last, 'seq');
    this.#lastHash = last === undefined ? this.#anchor() : (textOf(last, 'hash') ?? AUDIT_GENESIS_HASH);
    this.#intents = openAuditIntents(store);
    this.#unwritten = this.#intents.open().map(({ id, event }) => ({ event: { ...event, ...UNKNOWN }, intent: id }));
    this.#writeWaiting();
  }

  /** Writes an entry of something that happened. Errors: `audit_unavailable`. */
  async append(event: AuditEvent): Promise<void> {
    this.#writeWaiting();
    this.#orUnavailable(event.action, () => this.#write(event));
  }

  /**
   * Runs `work` as one action with one entry of its outcome. Its intent is on the disk first. If the process dies
   * during `work`, the next start writes the entry with the outcome `unknown`. `endOf` gives the outcome; absent: `ok`,
   * or `failed` with the code of the error. Errors: `audit_unavailable` before `work` ran; those of `work`.
   */
  async during<T>(
    event: AuditIntent,
    work: () => T | Promise<T>,
    endOf: (ended: ActionOutcome<T>) => AuditEnd = toEnd,
  ): Promise<T> {
    this.#writeWaiting();
    const intent = this.#orUnavailable(event.action, () => this.#intents.begin(event, Math.round(this.#now())));
    let ended: ActionOutcome<T>;
    try {
      ended = { value: await work() };
    } catch (error) {
      ended = { error };
    }
    this.#unwritten = [...this.#unwritten, { event: { ...event, ...endOf(ended) }, intent }];
    this.#writeWaiting();
    if ('error' in ended) throw ended.error;
    return ended.value;
  }

  /** Writes the entries of ended actions. Entries that cannot be written wait: their intents are on the disk. */
  #writeWaiting(): void {
    try {
      for (const { event, intent } of this.#unwritten) {
        this.#write(event, () => this.#intents.remove(intent));
        this.#unwritten = this.#unwritten.slice(1);
      }
    } catch (error) {
      const [first] = this.#unwritten;
      const reason = isError(error) ? error.message : String(error);
      this.#log({ event: 'audit entry waits', action: first?.event.action, waiting: this.#unwritten.length, reason });
    }
  }

  #orUnavailable<T>(action: string, write: () => T): T {
    try {
      return write();
    } catch (error) {
      const why = isError(error) ? error.message : String(error);
      this.#log({ event: 'audit unavailable', action, reason: why });
      const message = `the audit log cannot be written (${why}), so nothing was changed; make room on the disk, or make it writable`;
      throw new AppError('audit_unavailable', message, { action, reason: why }, { cause: error });
    }
  }

  /** Writes the next entry, and runs `more` in the same transaction. Errors: those of the database. */
  #write(event: AuditEvent, more: () => void = () => {}): void {
    const entry = toChainedEntry(event, this.#seq + 1, Math.round(this.#now()), this.#lastHash);
    const { seq, atMs, actor, action, target, outcome, reason, diff, prevHash, hash } = entry;
    this.#inTransaction(() => {
      this.#statements.insert.run(seq, atMs, actor, action, target, outcome, reason, diff, prevHash, hash);
      more();
    });
    this.#seq = seq;
    this.#lastHash = hash;
  }

  #inTransaction(work: () => void): void {
    this.#store.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#store.exec('COMMIT');
    } catch (error) {
      this.#store.exec('ROLLBACK');
      throw error;
    }
  }

  /** Walks the whole chain, between turns of the event loop: requests are served during the walk. */
  async verify(): Promise<AuditCheck> {
    const read = (after: number): readonly AuditEntry[] => this.read({ after, limit: AUDIT_BATCH });
    return verifyChain(read, { anchor: this.#anchor(), last: this.#seq });
  }

  /** Entries in the order of `seq`. */
  read({ after, limit }: AuditQuery): readonly AuditEntry[] {
    const { after: following, newest } = this.#statements;
    if (after !== undefined) return following.all(after, limit).map((row) => toAuditEntry(row));
    return newest
      .all(limit)
      .map((row) => toAuditEntry(row))
      .toReversed();
  }

  /** A page by filters. */
  page(query: AuditPageQuery): AuditPage {
    return this.#page(query);
  }

  /** Removes entries from before a time. The chain then begins where it was cut. */
  async removeBefore(atMs: number): Promise<void> {
    const last = this.#statements.lastBefore.get(atMs, this.#seq);
    if (last === undefined) return;
    const [seq, hash] = [integerOf(last, 'seq'), textOf(last, 'hash') ?? AUDIT_GENESIS_HASH];
    await this.append({
      actor: { kind: 'system' },
      action: 'audit.remove',
      target: 'audit',
      outcome: 'ok',
      reason: 'older than the retention',
      diff: { up_to_seq: seq, hash },
    });
    this.#inTransaction(() => {
      this.#statements.setAnchor.run(hash);
      this.#statements.remove.run(seq);
    });
  }

  /** The hash that the first entry follows. */
  #anchor(): string {
    const row = this.#statements.anchor.get();
    return row === undefined ? AUDIT_GENESIS_HASH : (textOf(row, 'hash') ?? AUDIT_GENESIS_HASH);
  }
}

function toEnd(ended: ActionOutcome<unknown>): AuditEnd {
  return 'error' in ended ? { outcome: 'failed', reason: toErrorData(ended.error).code } : { outcome: 'ok' };
}

const SQL = {
  insert: `INSERT INTO entry (seq, ts_ms, actor, action, target, outcome, reason, diff, prev_hash, hash)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
  after: 'SELECT * FROM entry WHERE seq > ?1 ORDER BY seq LIMIT ?2',
  newest: 'SELECT * FROM entry ORDER BY seq DESC LIMIT ?1',
  anchor: 'SELECT hash FROM anchor',
  setAnchor: 'INSERT OR REPLACE INTO anchor (only_row, hash) VALUES (1, ?1)',
  // The newest entry always stays: the chain continues from it.
  lastBefore: 'SELECT seq, hash FROM entry WHERE ts_ms < ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1',
  remove: 'DELETE FROM entry WHERE seq <= ?1',
} as const;
