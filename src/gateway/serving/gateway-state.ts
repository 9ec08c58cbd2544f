import type { TreeNode } from '../../actor/index.js';
import { Type } from '../../schema/index.js';

/** Why a runtime gets no requests. */
export type RuntimeTrouble = 'unreachable' | 'unhealthy' | 'unverified' | 'fingerprint_changed';

/** The state of a runtime. */
export interface RuntimeState {
  readonly id: string;
  readonly kind: string;
  readonly isHealthy: boolean;
  readonly trouble: RuntimeTrouble | undefined;
  /** In words, for its operator. */
  readonly reason: string | undefined;
}

/** The state of a gateway as a whole. */
export interface GatewayState {
  readonly uptimeMs: number;
  readonly runtimes: readonly RuntimeState[];
  readonly tree: TreeNode;
  /** Why the current file is not in use; undefined: it is in use. */
  readonly refusedConfig: string | undefined;
}

/** The answer of `GET /health`; only its operator gets the optional fields. */
export const GatewayHealth = Type.Object({
  status: Type.Enum(['ok']),
  uptime_ms: Type.Optional(Type.Number()),
  version: Type.Optional(Type.String()),
  config: Type.Optional(Type.Object({ in_use: Type.Boolean(), refused: Type.Union([Type.String(), Type.Null()]) })),
  runtimes: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        kind: Type.String(),
        healthy: Type.Boolean(),
        trouble: Type.Union([Type.String(), Type.Null()]),
        reason: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
  ),
  models: Type.Optional(Type.Array(Type.Object({ id: Type.String(), targets: Type.Array(Type.Unknown()) }))),
  tree: Type.Optional(Type.Unknown()),
});
export type GatewayHealth = Type.Static<typeof GatewayHealth>;
