import { AppError, invalidValue } from '../../../base/index.js';
import {
  addSpan,
  emptySpan,
  type Meter,
  type PlacedSpan,
  type Scope,
  STEP_MS,
  startOf,
  type RollupStep,
} from '../../../metering/index.js';
import { toTime } from '../../operations/shown-key.js';
import { adminRoute, answer, type AdminSection } from '../admin-route.js';
import { Breakdown, BreakdownQuery, MetricsQuery, Series } from '../schemas/metrics.js';
import { showTotals } from '../shown.js';
import { readSpan } from '../times.js';
import { toAmount } from '../../../words/index.js';

/** Points of one chart: a week by the hour, or two years by the day. */
const MAX_POINTS = 1_500;
/** Spans longer than this are shown by the next larger step, where none is asked for. */
const BY_MINUTE_MS = 3 * STEP_MS.hour;
const BY_HOUR_MS = 8 * STEP_MS.day;
/** Up to this span, parts are sums of hours: the first and the last day may be partial. */
const BY_HOUR_PARTS_MS = 3 * STEP_MS.day;

const series = adminRoute({
  method: 'GET',
  path: '/admin/api/metrics',
  summary:
    'What happened over time: requests, errors, tokens, percentiles and spend in steps of a minute, an hour or a day.',
  query: MetricsQuery,
  response: Series,
  async handle({ context: { meter, now }, query }) {
    const { model, runtime, key_id: keyId } = query;
    const { fromMs = 0, toMs = now() } = readSpan(query);
    if ([model, runtime, keyId].filter((each) => each !== undefined).length > 1) {
      throw new AppError('invalid_value', 'a chart is of one model, one runtime or one key; send one of them', {
        param: null,
      });
    }
    const isPart = model !== undefined || runtime !== undefined;
    const step = query.step ?? stepFor(toMs - fromMs, isPart, keyId);
    if (step === 'minute' && isPart) throw invalidValue('step', step, 'hour or day for a model or a runtime');
    if (step !== 'day' && keyId !== undefined) throw invalidValue('step', step, 'day for a key');
    const first = startOf(step, fromMs);
    const count = Math.ceil((toMs - first) / STEP_MS[step]);
    if (count > MAX_POINTS) {
      throw invalidValue(
        'step',
        step,
        `one with at most ${MAX_POINTS} points; this has ${count}: take a larger step or a shorter time`,
      );
    }
    await meter.rollups.refresh();
    const scope: Scope = model !== undefined ? `m:${model}` : runtime !== undefined ? `r:${runtime}` : '';
    const spans =
      keyId === undefined ? meter.rollups.spans(step, scope, first, toMs) : spansOfKey(meter, keyId, first, toMs);
    const byStart = new Map(spans.map((span) => [span.startMs, span]));
    const total = emptySpan();
    for (const span of spans) addSpan(total, span);
    return answer({
      step,
      from: toTime(first),
      to: toTime(toMs),
      points: Array.from({ length: count }, (_, i) => {
        const startMs = first + i * STEP_MS[step];
        return { start: toTime(startMs), ...showTotals(byStart.get(startMs) ?? emptySpan()) };
      }),
      spend: spendOf(meter, step, { first, toMs, model, runtime, keyId }),
      total: showTotals(total),
      complete: meter.rollups.isComplete,
    });
  },
});

const breakdown = adminRoute({
  method: 'GET',
  path: '/admin/api/metrics/breakdown',
  summary: 'Which models, runtimes, error codes or statuses there were in a time, the most frequent first.',
  query: BreakdownQuery,
  response: Breakdown,
  async handle({ context: { meter, now }, query: { by, limit = 20, ...query } }) {
    const { fromMs = 0, toMs = now() } = readSpan(query);
    const step = toMs - fromMs > BY_HOUR_PARTS_MS ? 'day' : 'hour';
    const first = startOf(step, fromMs);
    await meter.rollups.refresh();
    if (by === 'model' || by === 'runtime') {
      const parts = meter.rollups.parts(step, by === 'model' ? 'm:' : 'r:', first, toMs);
      const largest = parts.toSorted((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1)).slice(0, limit);
      return answer({ data: largest.map(showPart) });
    }
    const total = emptySpan();
    for (const span of meter.rollups.spans(step, '', first, toMs)) addSpan(total, span);
    const counts = [...(by === 'status' ? total.statuses : total.codes)].toSorted(([, a], [, b]) => b - a);
    return answer({
      data: counts.slice(0, limit).map(([name, requests]) => {
        const errors = by === 'status' && (Number(name) < 400 || name === '499') ? 0 : requests;
        return showPart({ name, requests, errors, promptTokens: 0, completionTokens: 0 });
      }),
    });
  },
});

function stepFor(spanMs: number, isPart: boolean, keyId: string | undefined): RollupStep {
  if (keyId !== undefined || spanMs > BY_HOUR_MS) return 'day';
  return spanMs > BY_MINUTE_MS || isPart ? 'hour' : 'minute';
}

/** A key has sums by day, without errors and times. */
function spansOfKey(meter: Meter, keyId: string, fromMs: number, toMs: number): readonly PlacedSpan[] {
  const byDay = new Map<number, PlacedSpan>();
  for (const day of meter.pages.usageOfKey(keyId, fromMs, toMs)) {
    const span = byDay.get(day.dayMs) ?? { startMs: day.dayMs, ...emptySpan() };
    byDay.set(day.dayMs, span);
    span.requests += day.requests;
    span.promptTokens += day.promptTokens;
    span.completionTokens += day.completionTokens;
    span.cachedTokens += day.cachedTokens;
    span.reasoningTokens += day.reasoningTokens;
  }
  return [...byDay.values()];
}

interface SpendQuery {
  readonly first: number;
  readonly toMs: number;
  readonly model: string | undefined;
  readonly runtime: string | undefined;
  readonly keyId: string | undefined;
}

/** The charges. Prices belong to models: neither a runtime nor a minute has a spend of its own. */
function spendOf({ rollups, pages }: Meter, step: RollupStep, { first, toMs, model, runtime, keyId }: SpendQuery) {
  if (step === 'minute' || runtime !== undefined) return [];
  const rows =
    keyId === undefined
      ? rollups.spend(step, first, toMs, model)
      : pages
          .usageOfKey(keyId, first, toMs)
          .flatMap(({ dayMs: startMs, currency, costMicro }) =>
            currency === undefined ? [] : [{ startMs, currency, costMicro }],
          );
  return rows.map(({ startMs, currency, costMicro }) => ({
    start: toTime(startMs),
    currency,
    amount: toAmount(costMicro),
  }));
}

/** A part for the page. */
export function showPart(part: {
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}) {
  const { name, requests, errors, promptTokens, completionTokens } = part;
  return { name, requests, errors, prompt_tokens: promptTokens, completion_tokens: completionTokens };
}

/** Metrics over time. */
export const metrics: AdminSection = [series, breakdown];
