import type { Alerts } from '../../alerts/index.js';
import type { Caller } from '../../billing/index.js';
import type { LookUpAll } from '../../address/index.js';
import type { Clock, CodeTable, LogEntry } from '../../base/index.js';
import type { HttpLimits } from '../../http/index.js';
import type { CatalogView } from '../catalog/create-catalog.js';
import type { HostedConfig } from '../config/index.js';
import type { OperationContext } from '../operations/operation.js';
import type { Connected } from '../service/open-connected.js';
import type { Service } from '../service/open-service.js';
import type { ReadSecret } from '../service/read-service-secret.js';
import type { HostedState } from '../serving/hosted-state.js';
import type { ProviderTable } from '../upstreams/provider-table.js';
import type { Telemetry, TelemetryEnv, Tracer } from '../../telemetry/index.js';
import type { UpstreamState } from '../upstreams/upstream-set.js';

/** Options of a node. */
export interface HostedSetup {
  readonly build: string;
  /** The error codes of all modules of the program, by module. */
  readonly codes: Readonly<Record<string, CodeTable>>;
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
  readonly httpLimits?: Partial<HttpLimits>;
  /** Resolves names of providers and gateways; absent: a resolver in which no look-up waits for another. */
  readonly lookUpAll?: LookUpAll;
}

/**
 * Actors of one node share state through this object: each finds there the work of the actors before it. State that
 * money depends on lives outside of every actor: a restarted actor finds it unchanged.
 */
export interface NodeSharedState {
  readonly setup: HostedSetup;
  readonly service: Service;
  readonly connected: Connected;
  readonly catalog: CatalogView;
  /** As the file is now. */
  config: HostedConfig;
  table: ProviderTable;
  /** Where the node listens: once it does, a listener that is started again takes the same. */
  port: number;
  readonly operations: (by: string) => OperationContext;
  /** Sends events to webhooks. */
  readonly alerts: Alerts<Caller>;
  readonly telemetry: Telemetry;
  /** Undefined: nothing is traced. */
  tracer: Tracer | undefined;
  /** The metrics of the listener, in the text format of Prometheus. */
  metrics: () => Promise<string>;
  /** Upstreams that the listener has open. */
  upstreams: () => readonly UpstreamState[];
  readonly state: () => HostedState | Promise<HostedState>;
}
