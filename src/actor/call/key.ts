import { invalidValue, text } from '../../base/index.js';
import type { Actor } from '../actor.js';

/** The id of an actor together with its protocol: what its child spec is named by, and what a ref to it is made from. */
export interface ActorKey<A extends Actor> {
  /** The id in its child spec. */
  readonly id: string;
  /** Carries the type and nothing else: no key has it. */
  readonly protocol?: A;
}

const ID = text('a string that is not empty');

/** The key of an actor of class `A`; declared once, beside the class. Errors: `invalid_value`. */
export function actorKey<A extends Actor>(id: string): ActorKey<A> {
  if (!ID.accepts(id)) throw invalidValue('id', id, ID.expected);
  return Object.freeze({ id });
}

/** The id of `key`, which a program without types may have mistaken. Errors: `invalid_value`. */
export function idOfKey(key: ActorKey<Actor>): string {
  const id: unknown = Object(key).id;
  if (typeof id !== 'string') throw invalidValue('key', key, 'what actorKey() gives, and not an id alone');
  return id;
}
