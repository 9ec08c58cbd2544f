import { AppError, fromErrorData, isAppError, isError, systemClock, waitFor, type Clock } from '../../base/index.js';
import type { MethodTable } from '../actor.js';
import { CallTable, type CallOptions } from '../call/calls.js';
import { createDropRegistry, createStream } from '../call/stream.js';
import type { InstanceEnd, Link } from '../link.js';
import { Lifetime } from './lifetime.js';
import type { ChildSpec } from './spec.js';
import type { NextState, NodeState, Supervised, TreeNode } from './tree.js';
import { createKeepAlive } from '../keep-alive.js';
import { placements } from '../placements/index.js';
import { isFailure, type Failure } from '../errors.js';

const DEFAULT_MAILBOX = 1_024;
/** Deadline of a call without one in its spec or options, in milliseconds. */
const DEFAULT_CALL_DEADLINE_MS = 30_000;

/** One instance of an actor, from its start to its end. */
interface Life {
  readonly link: Link;
  readonly calls: CallTable;
  /** Settles when the instance ended by itself. */
  readonly ended: Promise<InstanceEnd>;
  end(ended: InstanceEnd): void;
}

/** Opens an instance at its placement; `wrap` wraps its link. */
function openLife(spec: ChildSpec, clock: Clock, wrap: (link: Link) => Link): Life {
  const { id, placement, heapMb, mailbox = DEFAULT_MAILBOX, callDeadlineMs = DEFAULT_CALL_DEADLINE_MS } = spec;
  let end: (ended: InstanceEnd) => void = () => {};
  const ended = new Promise<InstanceEnd>((resolve) => {
    end = resolve;
  });
  const link = placements[placement].open({ id, heapMb }, (news) => end(news));
  const calls = new CallTable({
    id,
    link: wrap(link),
    mailbox,
    callDeadlineMs,
    clock,
    onCrash: (failure) => end(crashOf(failure)),
  });
  return { link, calls, ended, end };
}

/** Time limit of a start without one in its spec, in milliseconds: a thread and its modules on a very busy machine. */
export const DEFAULT_START_DEADLINE_MS = 60_000;

/** Wraps the link of each instance of an actor, for fault injection. */
export type LinkWrapper = (link: Link, kill: () => void) => Link;

/** Called when an instance died by itself and is completely gone. */
export type OnDown = (child: Child, ended: InstanceEnd, epoch: number) => void;

/** An actor under supervision: its present instance, if any, and the state that outlives each instance. */
export class Child implements Supervised {
  readonly spec: ChildSpec;
  readonly #onDown: OnDown;
  readonly #clock: Clock;
  readonly #dropped = createDropRegistry();
  readonly #lifetime: Lifetime;
  #life: Life | undefined;
  /** Settles when the last instance is completely gone. */
  #gone: Promise<void> = Promise.resolve();
  #methods: MethodTable = {};
  readonly #waiters = new UpWaiters();
  #wrap: LinkWrapper | undefined;

  constructor(spec: ChildSpec, onDown: OnDown, clock: Clock | undefined) {
    this.spec = spec;
    this.#onDown = onDown;
    this.#clock = clock ?? systemClock;
    this.#lifetime = new Lifetime(this.#clock);
  }

  get id(): string {
    return this.spec.id;
  }

  get running(): boolean {
    return this.#lifetime.running;
  }

  get epoch(): number {
    return this.#lifetime.epoch;
  }

  get restarts(): number {
    return this.#lifetime.restarts;
  }

  /** The protocol, as the last instance reported it. */
  get methods(): MethodTable {
    return this.#methods;
  }

  /** Makes an instance. Rejects with the error of `started`, or `actor_start_failed`, `actor_module_not_found`. */
  async start(): Promise<void> {
    this.#lifetime.turn('starting');
    const life = openLife(this.spec, this.#clock, (link) => this.#wrapped(link));
    this.#life = life;
    life.link.hold(true);
    const { id, actor, placement, startDeadlineMs = DEFAULT_START_DEADLINE_MS } = this.spec;
    try {
      const init: unknown = typeof this.spec.init === 'function' ? this.spec.init() : this.spec.init;
      const module = typeof actor.module === 'string' ? actor.module : actor.module.href;
      const ready = life.link.start({ id, placement, module, name: actor.name, init });
      ready.catch(() => {});
      const first = Promise.race([ready, life.ended.then((ended) => Promise.reject(ended.error))]);
      const options = Number.isFinite(startDeadlineMs) ? { deadlineMs: startDeadlineMs } : {};
      this.#methods = await waitFor(first, `the start of actor "${id}"`, { ...options, clock: this.#clock });
    } catch (thrown) {
      await this.#drop(life);
      throw startError(id, thrown);
    }
    this.#lifetime.run();
    life.link.hold(false);
    this.#listen(life);
    this.#waiters.wake();
  }

  async stop(next: NextState): Promise<void> {
    this.#lifetime.turn(this.#lifetime.state);
    const life = this.#life;
    if (life === undefined) {
      // The former instance has just died, and its thread may still run: the next must not share memory with it.
      await this.#gone;
      return this.mark(next);
    }
    this.#lifetime.state = 'stopping';
    life.calls.pin();
    const { id, shutdownMs, interrupt } = this.spec;
    try {
      interrupt?.();
      if (shutdownMs > 0) {
        const stopped = Promise.race([life.link.stop(), life.ended]);
        await waitFor(stopped, `stopping() of actor "${id}"`, { deadlineMs: shutdownMs, clock: this.#clock });
      }
    } catch {
      // It is torn down also when it was slow or failed to stop.
    }
    life.calls.close(new AppError('actor_stopped', `actor "${id}" was stopped with the call under way`, { actor: id }));
    await this.#drop(life);
    this.mark(next);
  }

  halt(): void {
    if (this.#lifetime.state !== 'starting') return;
    const error = new AppError('actor_down', `actor "${this.id}" was stopped while it started`, { actor: this.id });
    this.#life?.end({ normal: false, error });
  }

  /** Ends the present instance with `reason`, as if it had crashed. */
  kill(reason = new AppError('actor_killed', `actor "${this.id}" was killed`)): void {
    if (this.#life === undefined || !this.running) throw this.#downError();
    this.#life.end({ normal: false, error: reason });
  }

  mark(next: NextState): void {
    this.#lifetime.turn(next);
    if (next !== 'restarting') this.#waiters.wake(this.#downError());
  }

  /** Calls a method of the present instance. */
  call(method: string, args: readonly unknown[], options: CallOptions): Promise<unknown> {
    const answer = this.running ? this.#calls().call(method, args, options) : this.#callLater(method, args, options);
    // A rejected call without a waiting caller must not end the process; the supervisor's events report a crash.
    answer.catch(() => {});
    return answer;
  }

  /** A stream of the instance that runs when its first item is asked for. */
  stream(method: string, args: readonly unknown[], options: CallOptions): AsyncIterable<unknown> {
    const open = async (): Promise<CallTable> => {
      if (!this.running) await this.#whenUp(options);
      return this.#calls();
    };
    return createStream({ actor: this.id, method, args, options, open, dropped: this.#dropped });
  }

  /** Wraps the link of this and every later instance; for fault injection. */
  wrapLinks(wrap: LinkWrapper | undefined): void {
    this.#wrap = wrap;
    if (this.#life !== undefined) this.#life.calls.link = this.#wrapped(this.#life.link);
  }

  toTree(): TreeNode {
    return {
      id: this.id,
      placement: this.spec.placement,
      ...this.#lifetime.toTree(this.#life?.calls.depth ?? 0),
      children: [],
    };
  }

  #wrapped(link: Link): Link {
    return this.#wrap === undefined ? link : this.#wrap(link, () => this.kill());
  }

  #listen(life: Life): void {
    const { id } = this.spec;
    void life.link.ended().then((failure) => {
      const message = `actor "${id}" ended by itself, in order`;
      const error = new AppError('actor_exited', message, { actor: id });
      life.end(failure === null ? { normal: true, error } : crashOf(failure));
    });
    void life.ended.then((ended) => this.#died(life, ended));
  }

  async #died(life: Life, ended: InstanceEnd): Promise<void> {
    if (this.#life !== life || !this.running) return;
    const epoch = this.#lifetime.epoch;
    this.#lifetime.state = this.spec.restart === 'temporary' ? 'stopped' : 'restarting';
    life.calls.close(asCrash(this.id, ended.error));
    await this.#drop(life);
    this.#onDown(this, ended, epoch);
  }

  async #drop(life: Life): Promise<void> {
    if (this.#life === life) this.#life = undefined;
    this.#gone = life.link.terminate();
    await this.#gone;
  }

  #calls(): CallTable {
    if (this.#life === undefined || !this.running) throw this.#downError();
    return this.#life.calls;
  }

  async #callLater(method: string, args: readonly unknown[], options: CallOptions): Promise<unknown> {
    await this.#whenUp(options);
    return this.#calls().call(method, args, options);
  }

  async #whenUp(options: CallOptions): Promise<void> {
    const final = this.#lifetime.state === 'stopped' || this.#lifetime.state === 'escalated';
    if (options.whenDown !== 'wait' || final) throw this.#downError();
    const { deadlineMs = this.spec.callDeadlineMs ?? DEFAULT_CALL_DEADLINE_MS, signal } = options;
    await this.#waiters.wait(this.id, { deadlineMs, signal, clock: this.#clock });
  }

  #downError(): AppError {
    return downError(this.id, this.#lifetime.state);
  }
}

/** How long a call waits for the restart of its actor. */
interface UpWait {
  /** Milliseconds; `Infinity`: no limit. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Calls that wait until an actor runs again. They keep the process alive. */
class UpWaiters {
  #waiting: ((error?: AppError) => void)[] = [];

  /** Settles at the next `wake`. Errors: the error of that `wake`, `deadline_exceeded`, the reason of the signal. */
  async wait(actor: string, { deadlineMs, signal, clock }: UpWait): Promise<void> {
    const up = new Promise<void>((resolve, reject) => {
      this.#waiting.push((error) => (error === undefined ? resolve() : reject(error)));
    });
    const limit = Number.isFinite(deadlineMs) ? { deadlineMs } : {};
    const keepAlive = createKeepAlive();
    keepAlive.waiting(true);
    try {
      await waitFor(up, `the restart of actor "${actor}"`, { ...limit, signal, clock });
    } finally {
      keepAlive.clear();
    }
  }

  /** Settles all waits: the actor runs or, with an error, will not. */
  wake(error?: AppError): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake(error);
  }
}

/** The end of an instance that `failure` killed. */
function crashOf({ error, stack }: Failure): InstanceEnd {
  return { normal: false, error: fromErrorData(error), stack };
}

/** The error of calls under way when the instance dies of `error`. */
function asCrash(actor: string, error: AppError): AppError {
  if (error.code === 'actor_crashed') return error;
  const message = `actor "${actor}" died with the call under way: ${error.message}`;
  return new AppError('actor_crashed', message, { ...error.details, actor, cause: error.code });
}

/** Passes an expected error of `started` as it is: its code means something to the caller of the start. */
function startError(actor: string, thrown: unknown): AppError {
  const error = isFailure(thrown) ? fromErrorData(thrown.error) : thrown;
  const expected = isAppError(error) && !['actor_crashed', 'actor_exited', 'deadline_exceeded'].includes(error.code);
  if (expected) return error;
  const cause = isAppError(error) ? (error.details['cause'] ?? error.code) : 'internal_error';
  const why = isError(error) ? error.message : String(error);
  return new AppError('actor_start_failed', `actor "${actor}" did not start: ${why}`, { actor, cause });
}

/** The error of a call to an actor that does not run. */
function downError(actor: string, state: NodeState): AppError {
  if (state === 'escalated') {
    const message = `actor "${actor}" has ended: its supervisor gave up after too many restarts; start a new tree`;
    return new AppError('supervisor_escalated', message, { actor });
  }
  return new AppError('actor_down', `actor "${actor}" is ${state}: the call was not delivered`, { actor, state });
}
