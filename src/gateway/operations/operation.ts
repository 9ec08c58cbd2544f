import type { AuditActor, Meter } from '../../metering/index.js';
import type { TSchema, Static } from '../../schema/index.js';

/** What an operation works on. */
export interface OperationContext {
  readonly meter: Meter;
  readonly by: AuditActor;
}

/** Something that an operator asks of a gateway, the same at a terminal and on the admin page. */
export interface Operation<S extends TSchema = TSchema> {
  /** An object of JSON. */
  readonly params: S;
  /** What it gives is JSON. Errors: those of the meter. */
  run(context: OperationContext, params: Static<S>): unknown;
}

/** An operation with the types of its own parameters. */
export function operation<S extends TSchema>(it: Operation<S>): Operation<S> {
  return it;
}
