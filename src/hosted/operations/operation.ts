import { baseCodes, type CodeTable } from '../../base/index.js';
import { billingCodes, type Billing } from '../../billing/index.js';
import type { Operation } from '../../control/index.js';
import { auditEndOf, meteringCodes } from '../../metering/index.js';
import { Type, type Static, type TSchema } from '../../schema/index.js';
import type { HostedConfig } from '../config/index.js';
import type { ContactRules } from '../gateways/contact-rules.js';
import type { GatewayStore } from '../gateways/gateway-store.js';
import type { Resolve } from '../gateways/gateway-url.js';
import { hostedCodes } from '../errors.js';
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

/** What of a change stands in the audit log where it is not done: what is done is written with the change itself. */
export interface Audited<S extends TSchema> {
  /** Such as `key.create`. */
  readonly action: string | ((params: Static<S>) => string);
  /** Such as `key:hk_…`. */
  readonly target: (params: Static<S>) => string;
}

const TABLES: readonly CodeTable[] = [baseCodes, meteringCodes, billingCodes, hostedCodes];

/** An operation that changes something: that it was refused, or failed, is in the audit log too. */
export function change<S extends TSchema>(
  { action, target }: Audited<S>,
  it: Operation<OperationContext, S>,
): Operation<OperationContext, S> {
  return {
    params: it.params,
    async run(context, params) {
      try {
        return await it.run(context, params);
      } catch (error) {
        const name = typeof action === 'string' ? action : action(params);
        const event = { actor: context.by, action: name, target: target(params), diff: {} };
        // What cannot be written now did not happen: its caller has the error.
        await context.billing.audit.record({ ...event, ...auditEndOf(error, TABLES) }).catch(() => {});
        throw error;
      }
    },
  };
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
