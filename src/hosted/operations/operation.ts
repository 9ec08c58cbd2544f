import type { Billing } from '../../billing/index.js';
import type { Operation } from '../../control/index.js';
import { Type, type TSchema } from '../../schema/index.js';
import type { HostedConfig } from '../config/index.js';
import type { ContactRules } from '../gateways/contact-rules.js';
import type { GatewayStore } from '../gateways/gateway-store.js';
import type { Resolve } from '../gateways/gateway-url.js';
import type { HostedState } from '../serving/hosted-state.js';
import type { UpstreamState } from '../upstreams/upstream-set.js';
import type { GatewaySync } from '../sync/gateway-sync.js';

/** What operators see of a node. */
export interface NodeView {
  readonly state: () => HostedState | Promise<HostedState>;
  readonly upstreams: () => readonly UpstreamState[];
}

/** What an operation works on. */
export interface OperationContext {
  readonly billing: Billing;
  readonly gateways: GatewayStore;
  readonly sync: Pick<GatewaySync, 'syncNow'>;
  readonly rules: ContactRules;
  readonly resolve: Resolve;
  /** hosted.yaml as the service works by it. */
  readonly config: () => HostedConfig;
  /** Ids of the providers of hosted.yaml. */
  readonly providers: () => readonly string[];
  /** Tells every node that there are new prices. */
  readonly announcePrices: () => Promise<void>;
  /** The node that runs; absent: none does, and the operation works on the database alone. */
  readonly node?: NodeView;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Who asks, for the audit log. */
  readonly by: string;
}

/** An operation of the hosted API with the types of its own parameters. */
export function operation<S extends TSchema>(it: Operation<OperationContext, S>): Operation<OperationContext, S> {
  return it;
}

/** An id of an account, a key or a gateway. */
export const Id = Type.String({ minLength: 1, maxLength: 64 });
/** What people call something. */
export const Name = Type.String({ minLength: 1, maxLength: 100 });
/** Which page of a list, and how long. */
export const pageFields = {
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
};
