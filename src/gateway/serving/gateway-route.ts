import type { Clock, KindOf } from '../../base/index.js';
import type { BodyReader, Route, RouteCall } from '../../endpoint/index.js';
import type { AuthenticatedKey, MeterClient } from '../../metering/index.js';
import type { LiveRequests, RelayRecord, UsageAsking } from '../../relay-serving/index.js';
import type { Tracer } from '../../telemetry/index.js';
import type { RelayHost } from './relay-host.js';
import type { LackedApis } from '../routing/lacked-apis.js';
import type { RoutingTable } from '../routing/routing-table.js';

/** The record of one request, without its content, its answer, or its key except the id. */
export interface GatewayRecord extends RelayRecord {
  /** The key of the request, once it is known. */
  key?: AuthenticatedKey;
  /** The name of the model at its runtime. */
  upstreamModel?: string;
  runtimeId?: string;
  /** Its runtime lacks the API that it came by, and answered in chat completions. */
  isTranslated?: boolean;
  /** Types and fields that the translation left out because the other API lacks them. No words of the client. */
  ignored?: readonly string[];
}

/** The part of the meter that serving needs. All of it works on other threads too. */
export type MeterAccess = Pick<MeterClient, 'authenticate' | 'admit' | 'limitState' | 'onKeyEnded' | 'recordRequest'>;

/** State that all requests of a gateway share. */
export interface GatewayContext {
  readonly gatewayId: string;
  /** The version of the package. */
  readonly build: string;
  /** As the file is now; each request takes it once. */
  readonly table: () => RoutingTable;
  readonly meter: MeterAccess;
  readonly host: RelayHost;
  readonly live: LiveRequests;
  readonly usageAsking: UsageAsking;
  /** Which APIs the targets are known to lack. */
  readonly lacked: LackedApis;
  /** Reads the bodies that are translated. */
  readonly bodies: BodyReader;
  /** The secret of the cache salts that runtimes get instead of a key, see `toCacheSalt`. */
  readonly saltSecret: Uint8Array;
  readonly kindOf: KindOf;
  /** Undefined: nothing is traced. */
  readonly tracer: () => Tracer | undefined;
  readonly clock: Clock;
}

/** One request as a route of the gateway sees it. */
export type GatewayCall<Body = unknown> = RouteCall<GatewayContext, Body, GatewayRecord>;

/** An endpoint of the gateway. */
export interface GatewayRoute<Body = unknown> extends Route<GatewayContext, Body, GatewayRecord> {
  /** Its operation in OpenTelemetry's words (`gen_ai.operation.name`). */
  readonly operation?: string;
}
