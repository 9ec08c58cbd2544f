import { baseCodes, type CodeTable } from '../../base/index.js';
import { billingCodes, type Billing } from '../../billing/index.js';
import type { Operation } from '../../control/index.js';
import { auditEndOf, meteringCodes, type AuditEnd } from '../../metering/index.js';
import { Type, type Static, type TSchema } from '../../schema/index.js';
import type { HostedConfig } from '../config/index.js';
import type { ContactRules } from '../gateways/contact-rules.js';
import type { GatewayStore } from '../gateways/gateway-store.js';
import type { Resolve } from '../gateways/gateway-url.js';
import { hostedCodes } from '../errors.js';
import type { HostedState } from '../serving/hosted-state.js';
import type { UpstreamState } from '../upstreams/upstream-set.js';
import type { GatewaySync } from '../sync/gateway-sync.js';

/** A node as operators see it. */
export interface NodeView {
  readonly state: () => HostedState | Promise<HostedState>;
  readonly upstreams: () => readonly UpstreamState[];
}

/** The context of an operation. */
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
  /** Notifies every node of new prices. */
  readonly announcePrices: () => Promise<void>;
  /** The node that runs; absent: none does, and the operation works on the database alone. */
  readonly node?: NodeView;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The actor, for the audit log. */
  readonly by: string;
}

/** An operation of the hosted API with typed parameters. */
export function operation<S extends TSchema>(it: Operation<OperationContext, S>): Operation<OperationContext, S> {
  return it;
}

/** The audit entry of a change that was not done. A change that is done writes its own entry. */
export interface Audited<S extends TSchema> {
  /** Such as `key.create`. */
  readonly action: string | ((params: Static<S>) => string);
  /** Such as `key:hk_…`. */
  readonly target: (params: Static<S>) => string;
  /** What was asked for, without a secret: the fields of the diff of a change that is done. */
  readonly asked?: (params: Static<S>) => Readonly<Record<string, unknown>>;
}

const TABLES: readonly CodeTable[] = [baseCodes, meteringCodes, billingCodes, hostedCodes];

/** How an action of the hosted API ended by its error. */
export const endOf = (error: unknown): AuditEnd => auditEndOf(error, TABLES);

/** An operation that changes something: that it was refused, or failed, is in the audit log too. */
export function change<S extends TSchema>(
  { action, target, asked = () => ({}) }: Audited<S>,
  it: Operation<OperationContext, S>,
): Operation<OperationContext, S> {
  return {
    params: it.params,
    async run(context, params) {
      try {
        return await it.run(context, params);
      } catch (error) {
        const name = typeof action === 'string' ? action : action(params);
        const event = { actor: context.by, action: name, target: target(params), diff: asked(params) };
        // A lost entry loses no change: the change did not happen, and its caller has the error.
        await context.billing.audit.record({ ...event, ...endOf(error) }).catch(() => {});
        throw error;
      }
    },
  };
}

/** An id of an account, a key or a gateway. */
export const Id = Type.String({ minLength: 1, maxLength: 64 });
/** A name for people. */
export const Name = Type.String({ minLength: 1, maxLength: 100 });
/** The page of a list, and its length. */
export const pageFields = {
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
};
