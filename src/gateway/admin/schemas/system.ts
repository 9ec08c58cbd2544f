import { Type, type Static } from '../../../schema/index.js';
import { orNull } from './paging.js';

/** The state of the process. */
export const System = Type.Object({
  gateway_id: Type.String(),
  listens: Type.String(),
  uptime_s: Type.Number(),
  versions: Type.Object({ troupe: Type.String(), node: Type.String(), sqlite: Type.String() }),
  platform: Type.String(),
  memory: Type.Object({ rss_bytes: Type.Number(), heap_bytes: Type.Number(), heap_limit_bytes: Type.Number() }),
  event_loop: Type.Object({ p50_ms: Type.Number(), p99_ms: Type.Number() }),
  disk: Type.Object({
    data_dir: Type.String(),
    free_bytes: orNull(Type.Number()),
    total_bytes: orNull(Type.Number()),
    files: Type.Array(Type.Object({ name: Type.String(), size_bytes: Type.Number() })),
  }),
  retention: Type.Object({ request_log_days: Type.Integer(), audit_days: Type.Integer() }),
  sessions: Type.Integer({ description: 'Of the admin page.' }),
  drain: Type.Enum(['serving', 'draining', 'drained']),
  tree: Type.Unknown({ description: 'The actors, with their states and restarts.' }),
});
export type System = Static<typeof System>;

/** How to drain: how long requests under way may take, and whether the process then ends. */
export const Drain = Type.Object({
  grace_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600 })),
  stop: Type.Optional(Type.Boolean()),
});

/** That it has begun. */
export const Draining = Type.Object({ drain: Type.Enum(['draining', 'drained']) });

/** The result of a reload of gateway.yaml. */
export const Reloaded = Type.Object({
  state: Type.Enum(['unchanged', 'changed', 'refused']),
  refused: orNull(Type.String()),
  needs_restart: Type.Array(Type.String()),
});
