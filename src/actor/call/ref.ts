import { assert, atLeast, checkOptions, oneOf, signal, type OptionTable } from '../../base/index.js';
import type { Actor } from '../actor.js';
import type { CallOptions } from './calls.js';
import type { Child } from '../supervision/child.js';

/** A method as its callers see it. */
type RefMethod<F> = F extends (...args: infer P) => AsyncIterable<infer T>
  ? (...args: P) => AsyncIterable<T>
  : F extends (...args: infer P) => Promise<infer R>
    ? (...args: P) => Promise<R>
    : never;

/** The names of an actor's public async methods. */
type ProtocolOf<A> = {
  [K in keyof A]: K extends keyof Actor
    ? never
    : A[K] extends (...args: never[]) => Promise<unknown> | AsyncIterable<unknown>
      ? K
      : never;
}[keyof A];

/**
 * A typed reference to an actor: its public async methods and `async *` streams. It names the actor, not the instance,
 * so it survives restarts; dropping it leaks nothing.
 *
 * Errors of every call: `actor_down` (not delivered), `actor_crashed` and `actor_stopped` (under way when it ended),
 * `supervisor_escalated`, `mailbox_full`, `deadline_exceeded`, `not_cloneable`, and the actor's own.
 */
export type Ref<A> = { readonly [K in ProtocolOf<A>]: RefMethod<A[K]> };

const target = Symbol('troupe.ref');

interface Target {
  readonly child: Child;
  readonly options: CallOptions;
}

/** A ref to the actor that `child` supervises. */
export function createRef<A extends Actor>(child: Child, options: CallOptions = {}): Ref<A> {
  const methods = new Map<string, (...args: unknown[]) => unknown>();
  const at: Target = { child, options };
  return new Proxy(Object.freeze(Object.create(null)) as Ref<A>, {
    get(_, property) {
      if (property === target) return at;
      if (typeof property === 'symbol') return undefined;
      const known = methods.get(property);
      if (known !== undefined) return known;
      const kind = child.methods[property];
      if (kind === undefined) return undefined;
      const method = (...args: unknown[]): unknown =>
        kind === 'stream' ? child.stream(property, args, options) : child.call(property, args, options);
      methods.set(property, method);
      return method;
    },
  });
}

const callOptions: OptionTable<CallOptions> = {
  deadlineMs: atLeast(0),
  signal,
  whenDown: oneOf('fail', 'wait'),
};

/** The same actor, called with a deadline, a signal, or so that it waits for a restart. Later options win. Errors: `invalid_option`. */
export function withOptions<R extends object>(ref: R, options: CallOptions): R {
  const at = Reflect.get(ref, target) as Target | undefined;
  assert(at !== undefined, 'withOptions takes a ref');
  return createRef(at.child, { ...at.options, ...checkOptions('withOptions', options, callOptions) }) as R;
}
