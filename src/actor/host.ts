import { AppError, fromErrorData, type ErrorData } from '../base/index.js';
import { methodTable, type Actor, type ActorContext, type MethodKind, type MethodTable } from './actor.js';
import { toCrash, toFailure, type Failure } from './errors.js';
import { loadClass, type StartOrder } from './load-class.js';
import { HostStream, type StreamPart } from './host-stream.js';
import { hasSignal, putSignal } from './call/signals.js';

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

  /** Aborts the signal of a call or stream whose caller gave up. */
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

  /** Marks the actor as broken: from here on every call fails, and `ended` settles. */
  crash(failure: Failure): void {
    this.#crashed ??= failure;
    this.#end(this.#crashed);
  }

  /** As `crash`, for something thrown outside of a call. */
  reportBug(where: string, thrown: unknown): void {
    this.crash(toCrash(this.#id, where, thrown));
  }

  /** Aborts the signals of a dead inline instance. */
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
