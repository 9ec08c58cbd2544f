import type { Operation } from '../../control/index.js';
import type { AuditActor, Meter } from '../../metering/index.js';
import type { TSchema } from '../../schema/index.js';
import type { GatewayConfig } from '../config/index.js';

/** The context of an operation. */
export interface OperationContext {
  readonly meter: Meter;
  /** As the gateway works by it. */
  readonly config: () => GatewayConfig;
  readonly by: AuditActor;
  /** The file, and the function that reloads it after a change. */
  readonly path: string;
  readonly reload: () => Promise<unknown>;
}

/** An operation of the gateway with typed parameters. */
export function operation<S extends TSchema>(it: Operation<OperationContext, S>): Operation<OperationContext, S> {
  return it;
}
