/** Where an actor runs: in the supervisor's thread, in a thread of its own, or in a process of its own. */
export type Placement = 'inline' | 'thread' | 'process';

/** What an actor knows about its own instance when it starts. */
export interface ActorContext {
  /** Its id in the spec. */
  readonly id: string;
  /** Where it runs. */
  readonly placement: Placement;
  /** Aborts when the actor is asked to stop, before `stopping` is called. */
  readonly signal: AbortSignal;
  /** Ends the actor in order, from inside: the runtime calls `stopping`, and does not restart a `transient` actor. */
  exit(): void;
  /** Reports a failure outside of any call, such as in a loop of the actor's own. The actor counts as crashed. */
  crash(thrown: unknown): void;
}

/**
 * An actor: its public async methods are its protocol, its `async *` methods are streams with back-pressure.
 *
 * Calls are delivered in order and overlap at their awaits, as in any async class. An `AppError` thrown by a method is
 * an answer to its caller. Anything else (a bug, a failed assertion, a WASM trap) crashes the actor, and its supervisor
 * starts a new instance. An `AbortSignal` among the arguments arrives as a signal of the actor's own, which also aborts
 * when the call's deadline passes.
 */
export abstract class Actor {
  /** Acquires the actor's resources; the actor counts as running when this settles. */
  started?(context: ActorContext): Promise<void> | void;
  /** Releases the resources. It has `shutdownMs`; then the placement is torn down. */
  stopping?(): Promise<void> | void;
}

/** How an exported actor class is called: with the `init` of its child spec. */
export type ActorClass = new (init: unknown) => Actor;

/** Kind of a public method: `call` answers once, `stream` is an async generator. */
export type MethodKind = 'call' | 'stream';

/** The protocol of an actor, as its instance shows it. */
export type MethodTable = Readonly<Record<string, MethodKind>>;

/** The protocol of `actor`: methods of its class and of those between it and `Actor`. */
export function methodTable(actor: Actor): MethodTable {
  const table: Record<string, MethodKind> = Object.create(null) as Record<string, MethodKind>;
  let prototype: unknown = Object.getPrototypeOf(actor);
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof value !== 'function' || name === 'constructor' || name === 'started' || name === 'stopping') continue;
      table[name] ??= value.constructor.name === 'AsyncGeneratorFunction' ? 'stream' : 'call';
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return table;
}
