import { integerOf, type Statement, type Store } from '../../database/index.js';
import type { AuditEntry } from './audit-entry.js';
import { toAuditEntry } from './audit-row.js';

/** The filters of a page of entries, the newest first. Texts are compared from their beginning on. */
export interface AuditPageQuery {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly outcome?: string;
  /** Milliseconds since 1970; `toMs` is not within. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Only entries with a smaller `seq`. */
  readonly before?: number;
  readonly limit: number;
}

/** A page. It may be short, or empty, and go on before `next`. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly next: number | undefined;
}

/** Entries that one page reads: some 10 ms. */
const MAX_EXAMINED = 10_000;

const PAGE = `SELECT * FROM (SELECT * FROM entry WHERE seq < ?1 AND seq >= ?2 ORDER BY seq DESC)
  WHERE (?4 IS NULL OR substr(actor, 1, length(?4)) = ?4) AND (?5 IS NULL OR substr(action, 1, length(?5)) = ?5)
    AND (?6 IS NULL OR substr(target, 1, length(?6)) = ?6) AND (?7 IS NULL OR outcome = ?7)
    AND ts_ms >= ?8 AND ts_ms < ?9 ORDER BY seq DESC LIMIT ?3`;

/** Compiles the statements of pages. */
export function openAuditPages(store: Store): (query: AuditPageQuery) => AuditPage {
  const page: Statement = store.prepare(PAGE);
  const ends = store.prepare('SELECT min(seq) AS first, max(seq) AS last FROM entry');
  return ({ actor = null, action = null, target = null, outcome = null, fromMs, toMs, before, limit }) => {
    const row = ends.get() ?? {};
    const [first, last] = [integerOf(row, 'first'), integerOf(row, 'last')];
    const top = Math.min(before ?? Infinity, last + 1);
    // Numbers of entries have no gaps: a range of numbers contains as many entries.
    const bottom = Math.max(first, top - MAX_EXAMINED);
    const span = [fromMs ?? Number.MIN_SAFE_INTEGER, toMs ?? Number.MAX_SAFE_INTEGER].map(Math.floor);
    const entries = page
      .all(top, bottom, limit, actor, action, target, outcome, ...span)
      .map((each) => toAuditEntry(each));
    const end = entries.length === limit ? (entries.at(-1)?.seq ?? bottom) : bottom;
    return { entries, next: end > first ? end : undefined };
  };
}
