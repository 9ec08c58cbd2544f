import type { Clock, KindOf } from '../../base/index.js';
import type { Billing, Caller } from '../../billing/index.js';
import type { PageFiles, Route, RouteCall } from '../../endpoint/index.js';
import type { LiveRequests, ReadOnPool, RelayRecord, UsageAsking } from '../../relay-serving/index.js';
import type { RefusalLog } from '../audit/refusal-log.js';
import type { CatalogView } from '../catalog/create-catalog.js';
import type { GatewayDirectory } from '../gateways/gateway-directory.js';
import type { ProviderTable } from '../upstreams/provider-table.js';
import type { RelayTarget } from '../upstreams/relay-target.js';
import type { UpstreamSet } from '../upstreams/upstream-set.js';
import type { Tracer } from '../../telemetry/index.js';
import type { HostedState } from './hosted-state.js';

/** The record of one request, without its content, its answer, or its key except the id. */
export interface HostedRecord extends RelayRecord {
  /** The caller, once it is known. */
  caller?: Caller;
  /** Where it goes, once its path is known. */
  target?: RelayTarget;
}

/** State that all requests of a node share. */
export interface HostedContext {
  readonly serviceId: string;
  /** The version of the package. */
  readonly build: string;
  readonly basePaths: readonly string[];
  /** Whether a client at an address may see the state of the service. */
  readonly isOperator: (address: string) => boolean;
  /** As the file is now; each request takes it once. */
  readonly table: () => ProviderTable;
  readonly directory: GatewayDirectory;
  readonly catalog: CatalogView;
  /** Takes actions of customers that were refused. */
  readonly refusals: RefusalLog;
  readonly billing: Pick<Billing, 'keys' | 'prices' | 'requests' | 'accounts'>;
  readonly upstreams: UpstreamSet;
  readonly live: LiveRequests;
  readonly usageAsking: UsageAsking;
  readonly readOn: ReadOnPool;
  /** Settlements that are not written yet: a drain waits for them. */
  readonly settling: Set<Promise<void>>;
  readonly kindOf: KindOf;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly state: () => HostedState | Promise<HostedState>;
  /** Undefined: nothing is traced. */
  readonly tracer: () => Tracer | undefined;
  /** Undefined: the package was built without it. */
  readonly accountPage: PageFiles | undefined;
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
}

/** One request as a route sees it. */
export type HostedCall<Body = unknown> = RouteCall<HostedContext, Body, HostedRecord>;

/** An endpoint of the hosted API. */
export interface HostedRoute<Body = unknown> extends Route<HostedContext, Body, HostedRecord> {
  /** Its operation in OpenTelemetry's words (`gen_ai.operation.name`). */
  readonly operation?: string;
}
