import { Type, type Static } from '../schema/index.js';

const Time = Type.String({ format: 'date-time' });
const Milliseconds = Type.Union([Type.Number(), Type.Null()]);

/**
 * Counts of a span of time. Milliseconds are of answered requests: their median and 95th percentile, to some 5 %.
 * `requests` is the sum of `answered`, `refused`, `failed` and `aborted`.
 */
export const TrafficTotals = Type.Object({
  requests: Type.Integer(),
  answered: Type.Integer({ description: 'With a status below 400, to the end.' }),
  refused: Type.Integer({ description: 'With a status from 400 to 498.' }),
  failed: Type.Integer({ description: 'With a status from 500 on, or an answer that broke off.' }),
  errors: Type.Integer({ description: 'Refused and failed requests together.' }),
  aborted: Type.Integer({ description: 'Whose client left.' }),
  prompt_tokens: Type.Number(),
  completion_tokens: Type.Number(),
  cached_tokens: Type.Number(),
  reasoning_tokens: Type.Number(),
  first_byte_p50_ms: Milliseconds,
  first_byte_p95_ms: Milliseconds,
  duration_p50_ms: Milliseconds,
  duration_p95_ms: Milliseconds,
});
export type TrafficTotals = Static<typeof TrafficTotals>;

/** A point of a chart. Spans without a request have one too. */
export const TrafficPoint = Type.Object({ start: Time, ...TrafficTotals.properties });

/** The length of a step of a chart. */
export const TrafficStep = Type.Enum(['minute', 'hour', 'day']);

/** A chart. `complete`: all requests are counted; false while older ones are still being added up. */
export const TrafficSeries = Type.Object({
  step: TrafficStep,
  from: Time,
  to: Time,
  points: Type.Array(TrafficPoint),
  spend: Type.Array(Type.Object({ start: Time, currency: Type.String(), amount: Type.String() })),
  total: TrafficTotals,
  complete: Type.Boolean(),
});
