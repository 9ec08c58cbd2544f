// Values over time, for a chart: which steps it has, and what operators and accounts see of them as JSON.
import { invalidValue } from '../../base/index.js';
import { toAmount } from '../../words/index.js';
import { percentile } from './histogram.js';
import type { PlacedSpan, SpendRow } from './rollup-table.js';
import { addSpan, emptySpan, outcomesOf, type Span } from './span.js';
import { toSums } from './span-columns.js';
import { KEPT_DAYS, startOf, STEP_MS, type RollupStep } from './steps.js';

/** Points of one chart: a week by the hour, or two years by the day. */
const MAX_POINTS = 1_500;
/** The longest time that a chart shows by a step, where none is asked for. */
const LONGEST_MS: Readonly<Record<RollupStep, number>> = {
  minute: 3 * STEP_MS.hour,
  hour: 8 * STEP_MS.day,
  day: Infinity,
};

/** The time of a chart. */
export interface SeriesTime {
  readonly fromMs: number;
  /** Is not within it. */
  readonly toMs: number;
  readonly step?: RollupStep;
}

/** The steps of a chart: `count` of them from `firstMs` on. */
export interface SeriesPlan {
  readonly step: RollupStep;
  readonly firstMs: number;
  readonly toMs: number;
  readonly count: number;
}

/**
 * Chooses the steps of a chart. `steps`: those that its subject has, ascending. Without a wish it is the smallest that makes a few
 * hundred points and is still kept. Errors: `invalid_value`.
 */
export function planSeries(
  { fromMs, toMs, step: wanted }: SeriesTime,
  steps: readonly RollupStep[],
  nowMs: number,
): SeriesPlan {
  if (wanted !== undefined && !steps.includes(wanted))
    throw invalidValue('step', wanted, `${steps.join(' or ')} for this chart`);
  const fits = (step: RollupStep): boolean =>
    toMs - fromMs <= LONGEST_MS[step] && fromMs >= startOf(step, nowMs - KEPT_DAYS[step] * STEP_MS.day);
  const step = wanted ?? steps.find(fits) ?? 'day';
  const firstMs = startOf(step, fromMs);
  const count = Math.ceil((toMs - firstMs) / STEP_MS[step]);
  if (count <= MAX_POINTS) return { step, firstMs, toMs, count };
  const allowed = `one with at most ${MAX_POINTS} points; this has ${count}: take a larger step or a shorter time`;
  throw invalidValue('step', step, allowed);
}

/** The values of a chart. A step without a request has zeros. */
export function showSeries(
  { step, firstMs, toMs, count }: SeriesPlan,
  spans: readonly PlacedSpan[],
  spend: readonly SpendRow[],
  isComplete: boolean,
) {
  const byStart = new Map(spans.map((span) => [span.startMs, span]));
  return {
    step,
    from: toTime(firstMs),
    to: toTime(toMs),
    points: Array.from({ length: count }, (_, i) => {
      const startMs = firstMs + i * STEP_MS[step];
      return { start: toTime(startMs), ...showTotals(byStart.get(startMs) ?? emptySpan()) };
    }),
    spend: spend.map(({ startMs, currency, costMicro }) => ({
      start: toTime(startMs),
      currency,
      amount: toAmount(costMicro),
    })),
    total: showTotals(sumSpans(spans)),
    complete: isComplete,
  };
}

/** The sum of spans. */
export function sumSpans(spans: readonly Span[]): Span {
  const sum = emptySpan();
  for (const span of spans) addSpan(sum, span);
  return sum;
}

/** The sums of a span with its percentiles. */
export function showTotals(span: Span) {
  const at = (times: Span['duration'], share: number): number | null => {
    const ms = percentile(times, share);
    return ms === undefined ? null : Math.round(ms * 10) / 10;
  };
  const { answered, refused, failed } = outcomesOf(span);
  return {
    ...toSums(span),
    answered,
    refused,
    failed,
    first_byte_p50_ms: at(span.firstByte, 0.5),
    first_byte_p95_ms: at(span.firstByte, 0.95),
    duration_p50_ms: at(span.duration, 0.5),
    duration_p95_ms: at(span.duration, 0.95),
  };
}

/** Requests by status or by error code, the most frequent first. */
export function showCounts(counts: ReadonlyMap<string, number>, by: 'status' | 'error_code', limit: number) {
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, limit)
    .map(([name, requests]) => ({
      name,
      requests,
      errors: by === 'status' && (Number(name) < 400 || name === '499') ? 0 : requests,
      prompt_tokens: 0,
      completion_tokens: 0,
    }));
}

function toTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
