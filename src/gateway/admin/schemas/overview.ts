import { TrafficPoint, TrafficTotals } from '../../../api/index.js';
import { Type, type Static } from '../../../schema/index.js';
import { Part } from './metrics.js';
import { orNull, Time } from './paging.js';
import { TopKey } from './usage.js';

/** A runtime, in short. */
const RuntimeHealth = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  healthy: Type.Boolean(),
  trouble: orNull(Type.String()),
  reason: orNull(Type.String()),
});

/** The first page of an operator. */
export const Overview = Type.Object({
  time: Time,
  running_requests: Type.Integer(),
  last_hour: TrafficTotals,
  last_day: TrafficTotals,
  minutes: Type.Array(TrafficPoint, { description: 'The last sixty, the present one last.' }),
  spend_today: Type.Array(Type.Object({ currency: Type.String(), amount: Type.String() })),
  top_keys: Type.Array(TopKey, { description: 'By tokens of today.' }),
  top_models: Type.Array(Part, { description: 'By requests of the last day.' }),
  runtimes: Type.Array(RuntimeHealth),
  keys: Type.Object({ total: Type.Integer(), active: Type.Integer() }),
  models: Type.Integer(),
  config: Type.Object({ in_use: Type.Boolean(), refused: orNull(Type.String()) }),
});
export type Overview = Static<typeof Overview>;

/** An event of the live stream, every two seconds: an overview. */
export const OverviewEvent = Type.Object({ type: Type.Literal('overview'), overview: Overview });

/** Whether the gateway does its work. */
export const Health = Type.Object({
  status: Type.Enum(['ok', 'degraded', 'down'], {
    description: 'degraded: a runtime is away or the file is refused; down: no runtime can be reached.',
  }),
  runtimes: Type.Array(RuntimeHealth),
  config: Type.Object({ in_use: Type.Boolean(), refused: orNull(Type.String()) }),
});
