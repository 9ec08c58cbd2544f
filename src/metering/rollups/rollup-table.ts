import { integerOf, textOf, type Row, type Store } from '../../database/index.js';
import { addSpan, type Counted, type Span } from './span.js';
import { COUNT_COLUMNS, SUM_COLUMNS, toSpan, toSpanColumns } from './span-columns.js';
import { STEP_MS, type Scope, type ScopeKind, type RollupStep } from './steps.js';

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
  /** Adds a span to the stored one. */
  add(step: RollupStep, scope: Scope, startMs: number, span: Span): void;
  /** The spans of a scope that begin from `fromMs` on and before `toMs`, in their order. Spans without a request have none. */
  spans(step: RollupStep, scope: Scope, fromMs: number, toMs: number): readonly PlacedSpan[];
  /** Sums of all parts of a kind over the same. */
  parts(step: RollupStep, kind: ScopeKind, fromMs: number, toMs: number): readonly PartSum[];
  /** Removes spans that begin before `startMs`, at most `limit`, and returns how many. */
  removeBefore(step: RollupStep, startMs: number, limit: number): number;
}

const NAMES = [...SUM_COLUMNS, ...COUNT_COLUMNS];
const COLUMNS = NAMES.join(', ');

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
    'INSERT INTO rollup (step_ms, scope, start_ms, '.concat(
      COLUMNS,
      ') VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) ON CONFLICT DO UPDATE SET ',
      // Not REPLACE: that would write the entry of the index anew.
      NAMES.map((name) => name.concat(' = excluded.', name)).join(', '),
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
  const remove = store.prepare(
    `DELETE FROM rollup WHERE (step_ms, scope, start_ms) IN
       (SELECT step_ms, scope, start_ms FROM rollup WHERE step_ms = ?1 AND start_ms < ?2 ORDER BY start_ms LIMIT ?3)`,
  );
  return {
    rowsAfter: (seq, limit) => rows.all(seq, limit).map(toRolled),
    add(step, scope, startMs, span) {
      const place = [STEP_MS[step], scope, startMs] as const;
      const before = get.get(...place);
      if (before !== undefined) addSpan(span, toSpan(before));
      const columns = toSpanColumns(span);
      put.run(...place, ...NAMES.map((name) => columns[name]));
    },
    spans: (step, scope, fromMs, toMs) =>
      spans
        .all(STEP_MS[step], scope, fromMs, toMs)
        .map((row) => ({ startMs: integerOf(row, 'start_ms'), ...toSpan(row) })),
    // Behind a colon comes a semicolon.
    parts: (step, kind, fromMs, toMs) =>
      parts.all(STEP_MS[step], kind, kind.replace(':', ';'), fromMs, toMs).map((row) => ({
        name: (textOf(row, 'scope') ?? '').slice(kind.length),
        requests: integerOf(row, 'requests'),
        errors: integerOf(row, 'errors'),
        promptTokens: integerOf(row, 'prompt_tokens'),
        completionTokens: integerOf(row, 'completion_tokens'),
      })),
    removeBefore: (step, startMs, limit) => remove.run(STEP_MS[step], startMs, limit),
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
