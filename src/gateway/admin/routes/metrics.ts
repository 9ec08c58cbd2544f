import { TrafficSeries } from '../../../api/index.js';
import { AppError } from '../../../base/index.js';
import {
  planSeries,
  showCounts,
  showSeries,
  startOf,
  STEP_MS,
  sumSpans,
  type Meter,
  type Scope,
  type SeriesPlan,
  type SpendRow,
  type RollupStep,
} from '../../../metering/index.js';
import type { Static } from '../../../schema/index.js';
import { adminRoute, answer, type AdminSection } from '../admin-route.js';
import { Breakdown, BreakdownQuery, MetricsQuery } from '../schemas/metrics.js';
import { readSpan } from '../times.js';

/** Up to this span, parts are sums of hours: the first and the last day may be partial. */
const BY_HOUR_PARTS_MS = 3 * STEP_MS.day;

const series = adminRoute({
  method: 'GET',
  path: '/admin/api/metrics',
  summary:
    'What happened over time: requests, errors, tokens, percentiles and spend in steps of a minute, an hour or a day.',
  query: MetricsQuery,
  response: TrafficSeries,
  async handle({ context: { meter, now }, query }) {
    const { model, runtime, key_id: keyId } = query;
    const { fromMs = 0, toMs = now() } = readSpan(query);
    if ([model, runtime, keyId].filter((each) => each !== undefined).length > 1) {
      throw new AppError('invalid_value', 'a chart is of one model, one runtime or one key; send one of them', {
        param: null,
      });
    }
    const steps = stepsOf(model !== undefined || runtime !== undefined, keyId);
    const plan = planSeries({ fromMs, toMs, ...(query.step !== undefined && { step: query.step }) }, steps, now());
    const { step, firstMs } = plan;
    await meter.rollups.refresh();
    const spans = meter.rollups.spans(step, scopeOf(query), firstMs, toMs);
    const spend = spendOf(meter, plan, { model, runtime, keyId });
    return answer(showSeries(plan, spans, spend, meter.rollups.isComplete));
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
    const total = sumSpans(meter.rollups.spans(step, '', first, toMs));
    return answer({ data: showCounts(by === 'status' ? total.statuses : total.codes, by, limit) });
  },
});

/** The steps of a subject: a model or a runtime has no minutes, and a key has days alone. */
function stepsOf(isPart: boolean, keyId: string | undefined): readonly RollupStep[] {
  if (keyId !== undefined) return ['day'];
  return isPart ? ['hour', 'day'] : ['minute', 'hour', 'day'];
}

function scopeOf({ model, runtime, key_id: keyId }: Static<typeof MetricsQuery>): Scope {
  if (model !== undefined) return `m:${model}`;
  if (runtime !== undefined) return `r:${runtime}`;
  return keyId === undefined ? '' : `k:${keyId}`;
}

interface SpendQuery {
  readonly model: string | undefined;
  readonly runtime: string | undefined;
  readonly keyId: string | undefined;
}

/** The charges. Prices belong to models: neither a runtime nor a minute has a spend of its own. */
function spendOf(
  { rollups, pages }: Meter,
  { step, firstMs, toMs }: SeriesPlan,
  { model, runtime, keyId }: SpendQuery,
): readonly SpendRow[] {
  if (step === 'minute' || runtime !== undefined) return [];
  if (keyId === undefined) return rollups.spend(step, firstMs, toMs, model);
  return pages
    .usageOfKey(keyId, firstMs, toMs)
    .flatMap(({ dayMs: startMs, currency, costMicro }) =>
      currency === undefined ? [] : [{ startMs, currency, costMicro }],
    );
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
