import { cleanText, integerOf, textOf, toFlag, type Row, type Statement, type Store } from '../../database/index.js';

/** One request in the log: no prompt, no answer, no key, no text of an upstream. */
export interface RequestRow {
  readonly requestId: string;
  /** When it came, in milliseconds since 1970. */
  readonly atMs: number;
  readonly keyId?: string;
  readonly model?: string;
  readonly upstreamModel?: string;
  readonly runtimeId?: string;
  readonly route?: string;
  readonly isStream: boolean;
  /** The HTTP status; absent: none was sent. */
  readonly status?: number;
  readonly finishReason?: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
  /** Of the prompt, put into a cache. Absent: none is known. */
  readonly cacheWriteTokens?: number;
  readonly isEstimated: boolean;
  /** To the first token. */
  readonly ttftMs?: number;
  readonly durationMs?: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Whether the client left. */
  readonly isAborted: boolean;
  readonly errorCode?: string;
  /** Until its reservation was made, since it came. */
  readonly admittedMs?: number;
  /** How many times the gateway sent it to a runtime. */
  readonly attempts?: number;
  /** An address, or a hash of one. */
  readonly client?: string;
}

/** A row as the log has it. */
export interface LoggedRequest extends RequestRow {
  /** Grows with each row: the cursor of the next page. */
  readonly seq: number;
}

/** A query of the request log. */
export interface RequestQuery {
  /** Only rows with a greater `seq`, the oldest first. Absent: the newest rows. */
  readonly after?: number;
  readonly limit: number;
  readonly keyId?: string;
}

/** The request log. */
export interface RequestTable {
  insert(row: RequestRow): void;
  /** In the order of `seq`. */
  query(query: RequestQuery): readonly LoggedRequest[];
  get(seq: number): LoggedRequest | undefined;
  /** Removes up to `limit` rows from before a time, and up to `throughSeq`. How many. */
  removeBefore(atMs: number, throughSeq: number, limit: number): number;
}

/** Longer texts are cut: clients and runtimes choose the names. */
const MAX_TEXT = 512;

const ROWS = 'SELECT * FROM request ';

const OLD = 'SELECT seq FROM request WHERE ts_ms < ?1 AND seq <= ?3 ORDER BY ts_ms LIMIT ?2';

/** Compiles the statements of the request log. */
export function openRequestTable(store: Store): RequestTable {
  const insert = store.prepare(
    `INSERT INTO request (request_id, ts_ms, key_id, model, upstream_model, runtime_id, route, stream, status, finish_reason,
       prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, estimated, ttft_ms, duration_ms, bytes_in,
       bytes_out, aborted, error_code, client, admitted_ms, attempts, cache_write_tokens)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
       nullif(?25, 0))`,
  );
  const rows = (rest: string): Statement => {
    const sql = ROWS.concat(rest);
    return store.prepare(sql);
  };
  const after = rows('WHERE seq > ?1 ORDER BY seq LIMIT ?2');
  const afterOfKey = rows('WHERE seq > ?1 AND key_id = ?3 ORDER BY seq LIMIT ?2');
  const newest = rows('ORDER BY seq DESC LIMIT ?1');
  const newestOfKey = rows('WHERE key_id = ?2 ORDER BY ts_ms DESC LIMIT ?1');
  const get = rows('WHERE seq = ?1');
  const old = store.prepare(
    'SELECT count(*) AS old FROM (SELECT 1 FROM request WHERE ts_ms < ?1 AND seq <= ?3 LIMIT ?2)',
  );
  const sql = 'DELETE FROM request WHERE seq IN ('.concat(OLD, ')');
  const remove = store.prepare(sql);
  return {
    insert: (row) => insert.run(...toValues(row)),
    query({ after: seq, limit, keyId }) {
      if (seq !== undefined) {
        return (keyId === undefined ? after.all(seq, limit) : afterOfKey.all(seq, limit, keyId)).map(toLogged);
      }
      const found = keyId === undefined ? newest.all(limit) : newestOfKey.all(limit, keyId);
      return found.map(toLogged).toSorted((a, b) => a.seq - b.seq);
    },
    get(seq) {
      const row = get.get(seq);
      return row === undefined ? undefined : toLogged(row);
    },
    removeBefore(atMs, throughSeq, limit) {
      const count = integerOf(old.get(atMs, limit, throughSeq) ?? {}, 'old');
      if (count > 0) remove.run(atMs, limit, throughSeq);
      return count;
    },
  };
}

function toValues(row: RequestRow) {
  return [
    toText(row.requestId),
    toWhole(row.atMs),
    toText(row.keyId),
    toText(row.model),
    toText(row.upstreamModel),
    toText(row.runtimeId),
    toText(row.route),
    toFlag(row.isStream),
    toWholeOrNull(row.status),
    toText(row.finishReason),
    toWhole(row.promptTokens),
    toWhole(row.completionTokens),
    toWhole(row.reasoningTokens),
    toWhole(row.cachedTokens),
    toFlag(row.isEstimated),
    toWholeOrNull(row.ttftMs),
    toWholeOrNull(row.durationMs),
    toWhole(row.bytesIn),
    toWhole(row.bytesOut),
    toFlag(row.isAborted),
    toText(row.errorCode),
    toText(row.client),
    toWholeOrNull(row.admittedMs),
    toWholeOrNull(row.attempts),
    toWhole(row.cacheWriteTokens ?? 0),
  ];
}

function toText(text: string | undefined): string | null {
  return text === undefined ? null : cleanText(text, MAX_TEXT);
}

/** Counts of runtimes are not trusted, and the columns take whole numbers only. */
function toWhole(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(Math.round(value), 0), Number.MAX_SAFE_INTEGER) : 0;
}

function toWholeOrNull(value: number | undefined): number | null {
  return value === undefined ? null : toWhole(value);
}

/** A request from a row. */
export function toLogged(row: Row): LoggedRequest {
  const texts = {
    keyId: textOf(row, 'key_id'),
    model: textOf(row, 'model'),
    upstreamModel: textOf(row, 'upstream_model'),
    runtimeId: textOf(row, 'runtime_id'),
    route: textOf(row, 'route'),
    finishReason: textOf(row, 'finish_reason'),
    errorCode: textOf(row, 'error_code'),
    client: textOf(row, 'client'),
  };
  const numbers = {
    status: toOptional(row, 'status'),
    ttftMs: toOptional(row, 'ttft_ms'),
    durationMs: toOptional(row, 'duration_ms'),
    admittedMs: toOptional(row, 'admitted_ms'),
    attempts: toOptional(row, 'attempts'),
    cacheWriteTokens: toOptional(row, 'cache_write_tokens'),
  };
  return {
    seq: integerOf(row, 'seq'),
    requestId: textOf(row, 'request_id') ?? '',
    atMs: integerOf(row, 'ts_ms'),
    isStream: integerOf(row, 'stream') === 1,
    promptTokens: integerOf(row, 'prompt_tokens'),
    completionTokens: integerOf(row, 'completion_tokens'),
    reasoningTokens: integerOf(row, 'reasoning_tokens'),
    cachedTokens: integerOf(row, 'cached_tokens'),
    isEstimated: integerOf(row, 'estimated') === 1,
    bytesIn: integerOf(row, 'bytes_in'),
    bytesOut: integerOf(row, 'bytes_out'),
    isAborted: integerOf(row, 'aborted') === 1,
    ...withoutUndefined(texts),
    ...withoutUndefined(numbers),
  };
}

function toOptional(row: Row, name: string): number | undefined {
  return row[name] === null ? undefined : integerOf(row, name);
}

/** The members of an object that are not undefined. */
function withoutUndefined<T>(values: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== undefined));
}
