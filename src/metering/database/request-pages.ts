// Pages of the request log by filters. Each selective filter has an index that ends with the time. Other filters are
// compared row by row, over a bounded number of rows: no page takes long.
import { integerOf, type Statement, type Store } from '../../database/index.js';
import { toLogged, type LoggedRequest } from './request-table.js';

/** The filters of a page of requests, in the order of time. Absent filters are not compared. */
export interface RequestPageQuery {
  readonly keyId?: string;
  readonly model?: string;
  readonly runtimeId?: string;
  readonly requestId?: string;
  readonly status?: number;
  readonly errorCode?: string;
  /** With a status from 400 on or an error; a client that left is none. */
  readonly isFailed?: boolean;
  /** Milliseconds since 1970; `toMs` is not within. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** The oldest first; the newest otherwise. */
  readonly ascending?: boolean;
  readonly after?: RequestCursor;
  readonly limit: number;
}

/** Where a page ended. */
export interface RequestCursor {
  readonly atMs: number;
  readonly seq: number;
}

/** A page. It may have fewer rows than asked for, or none, and go on: `next` is where. */
export interface RequestPage {
  readonly rows: readonly LoggedRequest[];
  readonly next: RequestCursor | undefined;
}

/** Rows that one page reads: some 20 ms. */
const MAX_EXAMINED = 10_000;
const FIRST: RequestCursor = { atMs: Number.MIN_SAFE_INTEGER, seq: -1 };
const LAST: RequestCursor = { atMs: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER };

/** Filters that find rows, the most selective first. Parameter 1 is its value. */
const DRIVERS = {
  requestId: 'request_id = ?1',
  keyId: 'key_id = ?1',
  isFailed: '?1 AND ((status >= 400 AND status <> 499) OR (error_code IS NOT NULL AND status IS NOT 499))',
  model: 'model = ?1',
  runtimeId: 'runtime_id = ?1',
  time: '?1',
} as const;
type Driver = keyof typeof DRIVERS;

const SPAN = ' AND ts_ms >= ?2 AND ts_ms < ?3 AND (ts_ms, seq) ';
const ORDERS = {
  descending: '< (?4, ?5) ORDER BY ts_ms DESC, seq DESC LIMIT ',
  ascending: '> (?4, ?5) ORDER BY ts_ms, seq LIMIT ',
} as const;
const FILTERS = ` WHERE (?8 IS NULL OR key_id = ?8) AND (?9 IS NULL OR model = ?9) AND (?10 IS NULL OR runtime_id = ?10)
  AND (?11 IS NULL OR status = ?11) AND (?12 IS NULL OR error_code = ?12)
  AND (?13 IS NULL OR (status >= 400 AND status <> 499) OR (error_code IS NOT NULL AND status IS NOT 499))
  AND (?14 IS NULL OR request_id = ?14) LIMIT ?7`;

interface Statements {
  readonly page: Statement;
  readonly lastExamined: Statement;
}

/** Pages of a store. A statement is compiled when it is first needed: most are never. */
export function openRequestPages(store: Store): (query: RequestPageQuery) => RequestPage {
  const compiled = new Map<string, Statements>();
  const statementsFor = (driver: Driver, order: keyof typeof ORDERS): Statements => {
    const name = `${driver} ${order}`;
    const inner = ' FROM request WHERE '.concat(DRIVERS[driver], SPAN, ORDERS[order]);
    const found = compiled.get(name) ?? {
      page: store.prepare('SELECT * FROM (SELECT *'.concat(inner, '?6)', FILTERS)),
      lastExamined: store.prepare('SELECT ts_ms, seq'.concat(inner, '1 OFFSET ?6')),
    };
    compiled.set(name, found);
    return found;
  };
  return (query) => {
    const { fromMs = FIRST.atMs, toMs = LAST.atMs, ascending = false, limit } = query;
    const { after = ascending ? FIRST : LAST } = query;
    const { driver, value } = driverOf(query);
    const found = statementsFor(driver, ascending ? 'ascending' : 'descending');
    const place = [value, Math.floor(fromMs), Math.floor(toMs), after.atMs, after.seq] as const;
    const { keyId = null, model = null, runtimeId = null, status = null, errorCode = null, requestId = null } = query;
    const isFailed = query.isFailed === true ? 1 : null;
    const filters = [keyId, model, runtimeId, status, errorCode, isFailed, requestId] as const;
    const rows = found.page.all(...place, MAX_EXAMINED, limit, ...filters).map(toLogged);
    const last = rows.at(-1);
    if (rows.length === limit && last !== undefined) return { rows, next: { atMs: last.atMs, seq: last.seq } };
    const end = found.lastExamined.get(...place, MAX_EXAMINED - 1);
    return { rows, next: end && { atMs: integerOf(end, 'ts_ms'), seq: integerOf(end, 'seq') } };
  };
}

function driverOf(query: RequestPageQuery): { readonly driver: Driver; readonly value: string | number } {
  const { requestId, keyId, model, runtimeId, isFailed = false, status = 0, errorCode } = query;
  if (requestId !== undefined) return { driver: 'requestId', value: requestId };
  if (keyId !== undefined) return { driver: 'keyId', value: keyId };
  const isRare = isFailed || (errorCode !== undefined && status !== 499) || (status >= 400 && status !== 499);
  if (isRare) return { driver: 'isFailed', value: 1 };
  if (model !== undefined) return { driver: 'model', value: model };
  if (runtimeId !== undefined) return { driver: 'runtimeId', value: runtimeId };
  return { driver: 'time', value: 1 };
}
