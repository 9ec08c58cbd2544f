// Answers of the API about the process and the audit log. A test compares these types with the gateway's schemas.

export type { AuditEntry, AuditVerdict } from '../../data/index.js';

/** An actor, or a supervisor with its children. */
export interface Actor {
  readonly id: string;
  readonly placement: string;
  readonly restarts: number;
  readonly mailboxDepth: number;
  readonly uptimeMs: number;
  readonly state: string;
  readonly children: readonly Actor[];
}

/** The state of the process. */
export interface System {
  readonly gateway_id: string;
  readonly listens: string;
  readonly uptime_s: number;
  readonly versions: { readonly troupe: string; readonly node: string; readonly sqlite: string };
  readonly platform: string;
  readonly memory: { readonly rss_bytes: number; readonly heap_bytes: number; readonly heap_limit_bytes: number };
  readonly event_loop: { readonly p50_ms: number; readonly p99_ms: number };
  readonly disk: {
    readonly data_dir: string;
    readonly free_bytes: number | null;
    readonly total_bytes: number | null;
    readonly files: readonly { readonly name: string; readonly size_bytes: number }[];
  };
  readonly retention: { readonly request_log_days: number; readonly audit_days: number };
  readonly sessions: number;
  readonly drain: 'serving' | 'draining' | 'drained';
  readonly tree: unknown;
}

/** The result of a reload of gateway.yaml. */
export interface Reloaded {
  readonly state: 'unchanged' | 'changed' | 'refused';
  readonly refused: string | null;
  readonly needs_restart: readonly string[];
}

/** The session of the page. */
export interface Session {
  readonly gateway_id: string;
  readonly version: string;
  readonly session: { readonly id: string; readonly expires_at: string; readonly idle_timeout_s: number } | null;
}
