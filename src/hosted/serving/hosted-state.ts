import type { TreeNode } from '../../actor/index.js';
import { Type } from '../../schema/index.js';

/** The state of a node as a whole. */
export interface HostedState {
  readonly uptimeMs: number;
  readonly tree: TreeNode;
  /** Whether its database answers, or did within the last minute. */
  readonly isReady: boolean;
  /** Settlements that wait on the disk for the database. */
  readonly outboxDepth: number;
  readonly providers: number;
  readonly gateways: number;
  readonly staleGateways: number;
  /** Why the current file is not in use; undefined: it is in use. */
  readonly refusedConfig: string | undefined;
}

/** The answer of `GET /health`; only its operator gets the optional fields. */
export const HostedHealth = Type.Object({
  status: Type.Enum(['ok']),
  uptime_ms: Type.Optional(Type.Number()),
  version: Type.Optional(Type.String()),
  config: Type.Optional(Type.Object({ in_use: Type.Boolean(), refused: Type.Union([Type.String(), Type.Null()]) })),
  database: Type.Optional(Type.Object({ ready: Type.Boolean(), outbox_depth: Type.Integer() })),
  providers: Type.Optional(Type.Integer()),
  gateways: Type.Optional(Type.Object({ connected: Type.Integer(), stale: Type.Integer() })),
  upstreams: Type.Optional(Type.Array(Type.Unknown())),
  tree: Type.Optional(Type.Unknown()),
});
export type HostedHealth = Type.Static<typeof HostedHealth>;
