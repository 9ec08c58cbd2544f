// Spans in the database: sums of requests by time, of all of them and of each account, provider and model.
import { integerOf, textOf, type Queries } from '../../database/index.js';
import {
  addSpan,
  emptySpan,
  KEPT_DAYS,
  startOf,
  STEP_MS,
  toSpan,
  toSpanColumns,
  type CountedSpan,
  type PlacedSpan,
  type Scope,
  type Span,
  type SpanCounter,
  type RollupStep,
} from '../../metering/index.js';
import { REQUEST_SPAN } from '../schema/tables.js';

/** Kinds of parts: accounts, providers, and models as `provider/model`. */
export const KINDS = ['a:', 'p:', 'm:'] as const;
/** One of them. */
export type PaidKind = (typeof KINDS)[number];
type Placed = CountedSpan<PaidKind>;

/** The counts of a request that had no answer. */
export const NO_ANSWER = {
  isAborted: false,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  ttftMs: undefined,
  durationMs: undefined,
} as const;

const EMPTY = toSpanColumns(emptySpan());

/** The names of a request's parts, in the order of the kinds. */
export function trafficPartsOf(request: {
  readonly accountId?: string;
  readonly provider?: string;
  readonly model?: string;
}): readonly (string | undefined)[] {
  const { accountId, provider, model } = request;
  return [accountId, provider, provider === undefined || model === undefined ? undefined : `${provider}/${model}`];
}

/**
 * Adds counted requests to the spans, within the caller's transaction. Rows are locked in one order: nodes that count at the same
 * time wait for each other and never in a circle.
 */
export async function addSpans(queries: Queries, counter: SpanCounter<PaidKind>, nowMs: number): Promise<void> {
  const added = [...counter.spans()]
    .filter(({ step, startMs }) => startMs >= firstKeptMs(step, nowMs))
    .toSorted((a, b) => STEP_MS[a.step] - STEP_MS[b.step] || a.startMs - b.startMs || (a.scope < b.scope ? -1 : 1));
  await queries.insert(
    REQUEST_SPAN,
    added.map((one) => ({ ...placeOf(one), ...EMPTY })),
    true,
  );
  const rows = [];
  for (const together of groupByStart(added)) {
    const before = await lockSpans(queries, together);
    for (const one of together) {
      const sum = before.get(one.scope) ?? emptySpan();
      addSpan(sum, one.span);
      const { first_byte, duration, codes, statuses, costs } = toSpanColumns(sum);
      // Numbers are added to those of the row, and texts replace its own.
      rows.push({ ...placeOf(one), ...toSpanColumns(one.span), first_byte, duration, codes, statuses, costs });
    }
  }
  await queries.add(REQUEST_SPAN, ['step_ms', 'scope', 'start_ms'], rows);
}

/** The spans of a scope that begin in a time, in their order. Steps without a request have none. */
export async function readSpans(
  queries: Queries,
  step: RollupStep,
  scope: Scope<PaidKind>,
  fromMs: number,
  toMs: number,
): Promise<readonly PlacedSpan[]> {
  const sql =
    'SELECT * FROM request_span WHERE step_ms = $1 AND scope = $2 AND start_ms >= $3 AND start_ms < $4 ORDER BY start_ms';
  const rows = await queries.all(sql, STEP_MS[step], scope, fromMs, toMs);
  return rows.map((row) => ({ startMs: integerOf(row, 'start_ms'), ...toSpan(row) }));
}

/** Removes spans that are older than those of their step are kept. */
export async function removeSpans(queries: Queries, nowMs: number): Promise<void> {
  for (const step of ['minute', 'hour', 'day'] as const) {
    const sql = 'DELETE FROM request_span WHERE step_ms = $1 AND start_ms < $2';
    await queries.run(sql, STEP_MS[step], firstKeptMs(step, nowMs));
  }
}

function firstKeptMs(step: RollupStep, nowMs: number): number {
  return startOf(step, nowMs - KEPT_DAYS[step] * STEP_MS.day);
}

function placeOf({ step, scope, startMs }: Placed) {
  return { step_ms: STEP_MS[step], scope, start_ms: startMs };
}

/** Spans of one step and start stand together in the order that they come in. */
function groupByStart(spans: readonly Placed[]): readonly (readonly Placed[])[] {
  const groups = new Map<string, Placed[]>();
  for (const span of spans) {
    const place = `${span.step} ${span.startMs}`;
    groups.set(place, [...(groups.get(place) ?? []), span]);
  }
  return [...groups.values()];
}

async function lockSpans(queries: Queries, together: readonly Placed[]): Promise<ReadonlyMap<string, Span>> {
  const [first] = together;
  if (first === undefined) return new Map();
  const sql = `SELECT * FROM request_span WHERE step_ms = $1 AND start_ms = $2 AND scope = ANY($3::text[])
    ORDER BY scope FOR UPDATE`;
  const scopes = together.map(({ scope }) => scope);
  const rows = await queries.all(sql, STEP_MS[first.step], first.startMs, scopes);
  return new Map(rows.map((row) => [textOf(row, 'scope') ?? '', toSpan(row)]));
}
