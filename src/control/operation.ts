import { createRequestParser } from '../api/index.js';
import { AppError, nearest } from '../base/index.js';
import type { Static, TSchema } from '../schema/index.js';

/** An operator's action on a server, the same at a terminal and on a page. `Context` is its subject. */
export interface Operation<Context, S extends TSchema = TSchema> {
  /** Schema of a JSON object. */
  readonly params: S;
  /** Its result is JSON. Errors: its own. */
  run(context: Context, params: Static<S>): unknown;
}

/** Operations by their names between a command and a server. */
export type Operations<Context> = Readonly<Record<string, Operation<Context>>>;

/** Runs an operation that an outside request names. Errors: `operation_unknown`, those of its parameters and its own. */
export async function runOperation<Context>(
  operations: Operations<Context>,
  asked: { readonly operation: string; readonly params: unknown },
  context: Context,
): Promise<unknown> {
  const { operation, params } = asked;
  const it = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (it === undefined) {
    const near = nearest(operation.slice(0, 64), Object.keys(operations));
    const hint = near === undefined ? '' : `; the nearest is ${near}`;
    throw new AppError('operation_unknown', `the server has no such operation${hint}; it may be of another version`);
  }
  return it.run(context, createRequestParser(it.params)(params));
}
