import { integerOf, textOf, type Row, type Store } from '../../database/index.js';
import { addSpan, type Counted, type Span } from './span.js';
import { COUNT_COLUMNS, SUM_COLUMNS, toSpan, toSpanColumns } from './span-columns.js';
import { STEP_MS, type ComparedKind, type Scope, type RollupStep } from './steps.js';

/** A span with its start, model and runtime. */
export interface PlacedSpan extends Span {
  readonly startMs: number;
}

/** Sums of a part over a time, without its times. */
export interface PartSum {
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A row of the request log for the rollup. */
export interface RolledRow extends Counted {
  readonly seq: number;
  readonly atMs: number;
  readonly model: string | undefined;
  readonly runtimeId: string | undefined;
  readonly keyId: string | undefined;
}

/** Money of a span. */
export interface SpendRow {
  readonly startMs: number;
  readonly currency: string;
  readonly costMicro: bigint;
}

/** The rollups in the database. */
export interface RollupTable {
  /** Rows of the request log behind `seq`, in their order. */
  rowsAfter(seq: number, limit: number): readonly RolledRow[];
  /** Adds a span to the stored one. Keys have spans of days alone. */
  add(step: RollupStep, scope: Scope, startMs: number, span: Span): void;
  /** The spans of a scope that begin from `fromMs` on and before `toMs`, in their order. Spans without a request have none. */
  spans(step: RollupStep, scope: Scope, fromMs: number, toMs: number): readonly PlacedSpan[];
  /** Sums of all parts of a kind over the same. */
  parts(step: RollupStep, kind: ComparedKind, fromMs: number, toMs: number): readonly PartSum[];
  removeBefore(step: RollupStep, startMs: number): void;
  /** Removes days of keys that begin before `startMs`, at most `limit`. How many. */
  removeKeysBefore(startMs: number, limit: number): number;
}

const NAMES = [...SUM_COLUMNS, ...COUNT_COLUMNS];
const COLUMNS = NAMES.join(', ');
const OF_KEY = 'k:';
/** Goes from one day that has rows to the next, from ?2 on and before ?3. Reads of each the row of the key ?1. */
const SPANS_OF_KEY = `WITH RECURSIVE days(on_ms) AS (
    SELECT (SELECT min(start_ms) FROM rollup_key WHERE start_ms >= ?2)
    UNION ALL SELECT (SELECT min(start_ms) FROM rollup_key WHERE start_ms > on_ms) FROM days WHERE on_ms < ?3)
  SELECT start_ms, `.concat(
  COLUMNS,
  ' FROM days CROSS JOIN rollup_key ON start_ms = on_ms AND key_id = ?1 WHERE on_ms < ?3 ORDER BY start_ms',
);

/** Compiles the statements of the rollups. */
export function openRollupTable(store: Store): RollupTable {
  const rows = store.prepare(
    `SELECT seq, ts_ms, model, runtime_id, key_id, status, aborted, error_code, prompt_tokens, completion_tokens, cached_tokens,
       reasoning_tokens, ttft_ms, duration_ms FROM request WHERE seq > ?1 ORDER BY seq LIMIT ?2`,
  );
  const get = store.prepare(
    'SELECT '.concat(COLUMNS, ' FROM rollup WHERE step_ms = ?1 AND scope = ?2 AND start_ms = ?3'),
  );
  const put = store.prepare(
    'INSERT OR REPLACE INTO rollup (step_ms, scope, start_ms, '.concat(
      COLUMNS,
      ') VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)',
    ),
  );
  const spans = store.prepare(
    'SELECT start_ms, '.concat(
      COLUMNS,
      ' FROM rollup WHERE step_ms = ?1 AND scope = ?2 AND start_ms >= ?3 AND start_ms < ?4 ORDER BY start_ms',
    ),
  );
  // From one scope to the next by the primary key: of each only the spans that are asked for are read.
  const parts = store.prepare(
    `WITH RECURSIVE scopes(name) AS (
       SELECT min(scope) FROM rollup WHERE step_ms = ?1 AND scope >= ?2 AND scope < ?3
       UNION ALL SELECT (SELECT min(scope) FROM rollup WHERE step_ms = ?1 AND scope > name AND scope < ?3)
         FROM scopes WHERE name IS NOT NULL)
     SELECT scope, sum(requests) AS requests, sum(errors) AS errors, sum(prompt_tokens) AS prompt_tokens,
       sum(completion_tokens) AS completion_tokens
     FROM scopes CROSS JOIN rollup ON step_ms = ?1 AND scope = name AND start_ms >= ?4 AND start_ms < ?5 GROUP BY scope`,
  );
  const remove = store.prepare('DELETE FROM rollup WHERE step_ms = ?1 AND start_ms < ?2');
  const getOfKey = store.prepare('SELECT '.concat(COLUMNS, ' FROM rollup_key WHERE start_ms = ?2 AND key_id = ?1'));
  const putOfKey = store.prepare(
    'INSERT OR REPLACE INTO rollup_key (key_id, start_ms, '.concat(
      COLUMNS,
      ') VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)',
    ),
  );
  const spansOfKey = store.prepare(SPANS_OF_KEY);
  const removeOfKeys = store.prepare(
    `DELETE FROM rollup_key WHERE (start_ms, key_id) IN
       (SELECT start_ms, key_id FROM rollup_key WHERE start_ms < ?1 ORDER BY start_ms, key_id LIMIT ?2)`,
  );
  const keyOf = (scope: Scope): string | undefined =>
    scope.startsWith(OF_KEY) ? scope.slice(OF_KEY.length) : undefined;
  return {
    rowsAfter: (seq, limit) => rows.all(seq, limit).map(toRolled),
    add(step, scope, startMs, span) {
      const keyId = keyOf(scope);
      const place = keyId === undefined ? [STEP_MS[step], scope, startMs] : [keyId, startMs];
      const before = (keyId === undefined ? get : getOfKey).get(...place);
      if (before !== undefined) addSpan(span, toSpan(before));
      const columns = toSpanColumns(span);
      (keyId === undefined ? put : putOfKey).run(...place, ...NAMES.map((name) => columns[name]));
    },
    spans(step, scope, fromMs, toMs) {
      const keyId = keyOf(scope);
      if (keyId !== undefined && step !== 'day') return [];
      const found =
        keyId === undefined ? spans.all(STEP_MS[step], scope, fromMs, toMs) : spansOfKey.all(keyId, fromMs, toMs);
      return found.map((row) => ({ startMs: integerOf(row, 'start_ms'), ...toSpan(row) }));
    },
    // Behind a colon comes a semicolon.
    parts: (step, kind, fromMs, toMs) =>
      parts.all(STEP_MS[step], kind, kind.replace(':', ';'), fromMs, toMs).map((row) => ({
        name: (textOf(row, 'scope') ?? '').slice(kind.length),
        requests: integerOf(row, 'requests'),
        errors: integerOf(row, 'errors'),
        promptTokens: integerOf(row, 'prompt_tokens'),
        completionTokens: integerOf(row, 'completion_tokens'),
      })),
    removeBefore: (step, startMs) => remove.run(STEP_MS[step], startMs),
    removeKeysBefore: (startMs, limit) => removeOfKeys.run(startMs, limit),
  };
}

function toRolled(row: Row): RolledRow {
  return {
    seq: integerOf(row, 'seq'),
    atMs: integerOf(row, 'ts_ms'),
    model: textOf(row, 'model'),
    runtimeId: textOf(row, 'runtime_id'),
    keyId: textOf(row, 'key_id'),
    status: optional(row, 'status'),
    isAborted: integerOf(row, 'aborted') === 1,
    errorCode: textOf(row, 'error_code'),
    promptTokens: integerOf(row, 'prompt_tokens'),
    completionTokens: integerOf(row, 'completion_tokens'),
    cachedTokens: integerOf(row, 'cached_tokens'),
    reasoningTokens: integerOf(row, 'reasoning_tokens'),
    ttftMs: optional(row, 'ttft_ms'),
    durationMs: optional(row, 'duration_ms'),
  };
}

function optional(row: Row, name: string): number | undefined {
  return row[name] === null ? undefined : integerOf(row, name);
}
