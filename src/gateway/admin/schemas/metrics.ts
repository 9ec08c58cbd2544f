import { Type } from '../../../schema/index.js';
import { SentTime, Text } from './paging.js';

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
