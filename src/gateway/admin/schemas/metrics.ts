import { Type, type Static } from '../../../schema/index.js';
import { orNull, SentTime, Text, Time } from './paging.js';

/** The time, the steps and the subject of metrics: all, one model, one runtime, or one key (whose steps are days). */
export const MetricsQuery = Type.Object({
  from: SentTime,
  to: Type.Optional(SentTime),
  step: Type.Optional(
    Type.Enum(['minute', 'hour', 'day'], { description: 'Absent: as makes a few hundred points at most.' }),
  ),
  model: Type.Optional(Text),
  runtime: Type.Optional(Text),
  key_id: Type.Optional(Text),
});

/**
 * Counts of a span of time. Milliseconds are of answered requests: their median and 95th percentile, to some 5 %.
 * `requests` is the sum of `answered`, `refused`, `failed` and `aborted`.
 */
export const Totals = Type.Object({
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
  first_byte_p50_ms: orNull(Type.Number()),
  first_byte_p95_ms: orNull(Type.Number()),
  duration_p50_ms: orNull(Type.Number()),
  duration_p95_ms: orNull(Type.Number()),
});
export type Totals = Static<typeof Totals>;

/** A point of a chart. Spans without a request have one too. */
export const Point = Type.Object({ start: Time, ...Totals.properties });

/** Money of a point. */
export const SpendPoint = Type.Object({ start: Time, currency: Type.String(), amount: Type.String() });

/** A chart. `complete`: all requests are counted; false while older ones are still being added up. */
export const Series = Type.Object({
  step: Type.Enum(['minute', 'hour', 'day']),
  from: Time,
  to: Time,
  points: Type.Array(Point),
  spend: Type.Array(SpendPoint),
  total: Totals,
  complete: Type.Boolean(),
});

/** The subjects to compare over a time. */
export const BreakdownQuery = Type.Object({
  from: SentTime,
  to: Type.Optional(SentTime),
  by: Type.Enum(['model', 'runtime', 'error_code', 'status']),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
});

/** Sums of one model, runtime, code or status. */
export const Part = Type.Object({
  name: Type.String(),
  requests: Type.Integer(),
  errors: Type.Integer(),
  prompt_tokens: Type.Number(),
  completion_tokens: Type.Number(),
});

/** The parts, the largest first. Of error codes and statuses only requests are counted. */
export const Breakdown = Type.Object({ data: Type.Array(Part) });
