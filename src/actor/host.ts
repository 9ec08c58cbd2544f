import { AppError, fromErrorData, type ErrorData } from '../base/index.js';
import {
  methodTable,
  type Actor,
  type ActorClass,
  type ActorContext,
  type MethodKind,
  type MethodTable,
  type Placement,
} from './actor.js';
import { causeOf, describeThrown, toCrash, toFailure, type Failure } from './errors.js';
import { HostStream, type StreamPart } from './host-stream.js';
import { hasSignal, putSignal } from './signals.js';

/** All that a placement needs to make an instance. Crosses threads. */
export interface StartOrder {
  readonly id: string;
  readonly placement: Placement;
  /** URL of the module, resolved. */
  readonly module: string;
  /** The name under which the module exports the class. */
  readonly name: string;
  readonly init: unknown;
}

type AnyMethod = (...args: unknown[]) => unknown;

/**
 * Runs one instance of an actor at its placement. Comlink exposes it on threads and processes; inline it is called
 * directly, so that every placement runs this same code. Rejections are `Failure`s: plain data.
 */
export class Host {
  #id = '';
  #actor: Actor | undefined;
  #methods: MethodTable = {};
  #crashed: Failure | undefined;
  readonly #cancels = new Map<number, AbortController>();
  readonly #streams = new Map<number, HostStream>();
  readonly #life = new AbortController();
  readonly #ended: Promise<Failure | null>;
  #end: (failure: Failure | null) => void = () => {};

  constructor() {
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Imports the class, makes the instance, runs `started`. Answers the protocol. */
  async start(order: StartOrder): Promise<MethodTable> {
    this.#id = order.id;
    const type = await loadClass(order);
    const context: ActorContext = {
      id: order.id,
      placement: order.placement,
      signal: this.#life.signal,
      exit: () => void this.#exit(),
      crash: (thrown) => this.reportBug('work of its own', thrown),
    };
    try {
      const actor = new type(order.init);
      await actor.started?.(context);
      this.#actor = actor;
      this.#methods = methodTable(actor);
      return { ...this.#methods };
    } catch (thrown) {
      throw toFailure(order.id, 'its start', thrown);
    }
  }

  /** Calls a method. `callId` is what `cancel` refers to. */
  async call(callId: number, method: string, ...args: unknown[]): Promise<unknown> {
    const run = this.#find(method, 'call');
    const cancel = hasSignal(args) ? new AbortController() : undefined;
    if (cancel !== undefined) this.#cancels.set(callId, cancel);
    try {
      return await run(...(cancel === undefined ? args : putSignal(args, cancel.signal)));
    } catch (thrown) {
      throw this.#fail(`${method}()`, thrown, cancel?.signal);
    } finally {
      this.#cancels.delete(callId);
    }
  }

  /** Tells a call or stream under way that nobody waits for it any more. */
  cancel(callId: number, reason: ErrorData): void {
    this.#cancels.get(callId)?.abort(fromErrorData({ ...reason, code: 'call_cancelled' }));
  }

  /** The next items of a stream; the first pull of a `callId` opens it with `args`. */
  async pull(callId: number, method: string, ...args: unknown[]): Promise<StreamPart> {
    const stream = this.#streams.get(callId) ?? this.#open(callId, method, args);
    try {
      const part = await stream.pull();
      if (part.done) this.#forget(callId);
      return part;
    } catch (thrown) {
      const signal = this.#cancels.get(callId)?.signal;
      this.#forget(callId);
      throw this.#fail(`${method}()`, thrown, signal);
    }
  }

  /** Ends a stream early: aborts its signal and runs its `finally` blocks. */
  async close(callId: number): Promise<void> {
    const stream = this.#streams.get(callId);
    const cancel = this.#cancels.get(callId);
    this.#forget(callId);
    cancel?.abort(new AppError('call_cancelled', 'the iteration was left early'));
    try {
      await stream?.close();
    } catch (thrown) {
      throw this.#fail('a stream that was left early', thrown, cancel?.signal);
    }
  }

  /** Aborts the context's signal and runs `stopping`. */
  async stop(): Promise<void> {
    this.#life.abort(new AppError('actor_stopped', `actor "${this.#id}" was asked to stop`, { actor: this.#id }));
    await Promise.all(Array.from(this.#streams.keys(), (callId) => this.close(callId)));
    try {
      await this.#actor?.stopping?.();
    } catch (thrown) {
      throw toFailure(this.#id, 'stopping()', thrown, true);
    }
  }

  /** Settles when the actor ends by itself: with null in order, with a failure when it crashed. */
  ended(): Promise<Failure | null> {
    return this.#ended;
  }

  /** The actor is broken: from here on every call fails, and the supervisor is told. */
  crash(failure: Failure): void {
    this.#crashed ??= failure;
    this.#end(this.#crashed);
  }

  /** As `crash`, for something thrown outside of a call. */
  reportBug(where: string, thrown: unknown): void {
    this.crash(toCrash(this.#id, where, thrown));
  }

  /** Lets a dead inline instance know that it is one. */
  abandon(): void {
    this.#life.abort(new AppError('actor_stopped', `actor "${this.#id}" was torn down`, { actor: this.#id }));
    for (const cancel of this.#cancels.values()) cancel.abort(this.#life.signal.reason);
  }

  async #exit(): Promise<void> {
    try {
      await this.stop();
      this.#end(null);
    } catch (thrown) {
      this.crash(thrown as Failure);
    }
  }

  #open(callId: number, method: string, args: unknown[]): HostStream {
    const run = this.#find(method, 'stream');
    const cancel = new AbortController();
    const stream = new HostStream(
      run(...putSignal(args, cancel.signal)) as AsyncGenerator,
      (thrown) => void this.#fail(`${method}()`, thrown, cancel.signal),
    );
    this.#cancels.set(callId, cancel);
    this.#streams.set(callId, stream);
    return stream;
  }

  #forget(callId: number): void {
    this.#streams.delete(callId);
    this.#cancels.delete(callId);
  }

  #find(method: string, kind: MethodKind): AnyMethod {
    if (this.#crashed !== undefined) throw this.#crashed;
    if (this.#actor === undefined || this.#methods[method] !== kind) {
      const message = `actor "${this.#id}" has no public ${kind} method "${method}"`;
      throw toFailure(this.#id, method, new AppError('actor_method_unknown', message, { actor: this.#id, method }));
    }
    return (Reflect.get(this.#actor, method) as AnyMethod).bind(this.#actor);
  }

  #fail(where: string, thrown: unknown, signal: AbortSignal | undefined): Failure {
    const cancelled = this.#life.signal.aborted || signal?.aborted === true;
    const failure = toFailure(this.#id, where, thrown, cancelled);
    if (failure.kind === 'crash') this.crash(failure);
    return failure;
  }
}

/** Errors: `actor_module_not_found`, as a failure; what the module's own code throws is a crash. */
async function loadClass({ id, module, name }: StartOrder): Promise<ActorClass> {
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
