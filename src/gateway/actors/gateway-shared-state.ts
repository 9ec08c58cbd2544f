import type { ChildSpec } from '../../actor/index.js';
import type { Alerts } from '../../alerts/index.js';
import type { Clock, CodeTable, LogEntry } from '../../base/index.js';
import type { LoopbackPlace } from '../../endpoint/index.js';
import type { HttpLimits, TransportChoice } from '../../http/index.js';
import type { AuditEvent, Meter } from '../../metering/index.js';
import type { AdminState, AdminWays } from '../admin/admin-context.js';
import type { GatewayConfig, RuntimeConfig } from '../config/index.js';
import type { ProbeResult } from '../probes/probe-runtime.js';
import type { ReadSecret } from '../routing/upstream-pool.js';
import type { TelemetryEnv } from '../../telemetry/index.js';
import type { RuntimeState } from '../serving/gateway-state.js';

/** Options of a gateway. */
export interface GatewaySetup {
  readonly build: string;
  /** The error codes of all modules of the program, by module. */
  readonly codes: Readonly<Record<string, CodeTable>>;
  readonly transport: TransportChoice;
  readonly uwsDirectory?: string;
  readonly readSecret: ReadSecret;
  /** The environment, for variables of OpenTelemetry; absent: it has none. */
  readonly telemetryEnv?: TelemetryEnv;
  /** Takes one line of JSON, without its end. */
  readonly logLine: (line: string) => void;
  readonly log: (entry: LogEntry) => void;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Between two probes of a runtime. */
  readonly probeMs?: number;
  readonly httpLimits?: Partial<HttpLimits>;
  /** The admin page; absent: there is none. */
  readonly admin?: AdminSetup;
  /** Threads that relay, behind one port. Default: one fewer than the cores, and none (in this thread) on two or fewer. */
  readonly relayThreads?: number;
  /**
   * An actor that starts after all others. The gateway counts as starting until this actor has started. Absent: no such
   * actor.
   */
  readonly lastActor?: ChildSpec;
}

/** How the admin page is served. */
export interface AdminSetup {
  /** The file says whether the page is served; absent: it is served. */
  readonly followsFile?: boolean;
  /** Default: that of the file; 0 takes a free one. */
  readonly port?: number;
  /** When a session ends that is not used, and when any does, in milliseconds. */
  readonly idleMs?: number;
  readonly absoluteMs?: number;
  /** Ends the process as SIGTERM does, when an operator drained it and asked for the end. */
  readonly stop?: () => void;
}

/** State of the admin page. It outlives the actor that listens: a crash signs no operator out. */
export interface AdminPageState {
  /** Where it is asked to listen; then where it listens. */
  place: LoopbackPlace;
  readonly state: AdminState;
  readonly ways: AdminWays;
}

/**
 * Actors of a gateway's own thread share state through this object. Each actor adds what later actors need. A restarted
 * actor replaces its own part.
 */
export interface GatewaySharedState {
  readonly setup: GatewaySetup;
  /** Where the file is. */
  readonly configPath: string;
  /** As the file is now. */
  config: GatewayConfig;
  /** Has the gateway take up the file. */
  readonly reload: () => Promise<unknown>;
  /** The ledger: it outlives every actor. */
  readonly meter: Meter;
  /** Writes the gateway's own actions into the audit log. */
  audit: (event: Omit<AuditEvent, 'actor'>) => void;
  /** Whether the server at a runtime's address is the one that its operator approved. */
  verify: (config: RuntimeConfig) => Promise<ProbeResult | undefined>;
  /** By the ids of runtimes. */
  readonly health: Map<string, RuntimeState>;
  /** Told after each change of `health`. */
  onHealth: (state: RuntimeState) => void;
  /** Sends events to webhooks. */
  readonly alerts: Alerts<undefined>;
  /** Undefined: there is no admin page. */
  admin: AdminPageState | undefined;
}
