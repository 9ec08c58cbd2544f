import { AppError } from '../base/index.js';
import type { ActorClass, Placement } from './actor.js';
import { causeOf, describeThrown, toFailure, type Failure } from './errors.js';

/** Everything that a placement needs to make an instance. Crosses threads. */
export interface StartOrder {
  readonly id: string;
  readonly placement: Placement;
  /** URL of the module, resolved. */
  readonly module: string;
  /** The name under which the module exports the class. */
  readonly name: string;
  readonly init: unknown;
}

/**
 * The actor class of an order. Errors: `actor_module_not_found`, as a failure. An exception of the module's own code is
 * a crash.
 */
export async function loadClass({ id, module, name }: StartOrder): Promise<ActorClass> {
  let exported: unknown;
  try {
    const loaded = (await import(/* webpackIgnore: true */ /* @vite-ignore */ module)) as Record<string, unknown>;
    exported = loaded[name];
  } catch (thrown) {
    const missing = causeOf(thrown) === 'ERR_MODULE_NOT_FOUND';
    if (!missing) throw toFailure(id, `the module ${module}`, thrown);
    throw notFound(id, module, name, describeThrown(thrown));
  }
  if (typeof exported !== 'function') throw notFound(id, module, name, `it exports no class ${name}`);
  return exported as ActorClass;
}

function notFound(id: string, module: string, name: string, why: string): Failure {
  const message = `actor "${id}": cannot take ${name} from ${module}: ${why}`;
  return toFailure(id, 'its start', new AppError('actor_module_not_found', message, { actor: id, module, name }));
}
