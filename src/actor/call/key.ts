import { invalidValue, text } from '../../base/index.js';
import type { Actor } from '../actor.js';

/** The id of an actor with its protocol as a type. Child specs are named by a key, and refs are made from one. */
export interface ActorKey<A extends Actor> {
  /** The id in its child spec. */
  readonly id: string;
  /** Carries the type only; no key has this property. */
  readonly protocol?: A;
}

const ID = text('a string that is not empty');

/** The key of an actor of class `A`; declared once, beside the class. Errors: `invalid_value`. */
export function actorKey<A extends Actor>(id: string): ActorKey<A> {
  if (!ID.accepts(id)) throw invalidValue('id', id, ID.expected);
  return Object.freeze({ id });
}

/** The id of `key`, checked at run time for callers without types. Errors: `invalid_value`. */
export function idOfKey(key: ActorKey<Actor>): string {
  const id: unknown = Object(key).id;
  if (typeof id !== 'string') throw invalidValue('key', key, 'what actorKey() gives, and not an id alone');
  return id;
}
