import { AppError, type Clock, fromErrorData, isAppError, isError, systemClock, waitFor } from '../../base/index.js';
import type { MethodTable } from '../actor.js';
import { CallTable, type CallOptions } from '../call/calls.js';
import { isFailure, type Failure } from '../errors.js';
import { createKeepAlive } from '../keep-alive.js';
import type { Ended, Link } from '../link.js';
import { placements } from '../placements/index.js';
import type { ChildSpec } from './spec.js';
import { createDropRegistry, createStream } from '../call/stream.js';
import type { NodeState, Supervised, TreeNode } from './tree.js';

const DEFAULT_MAILBOX = 1_024;
const DEFAULT_CALL_DEADLINE_MS = 30_000;
const DEFAULT_START_DEADLINE_MS = 60_000;

/** One instance, from its start to its end. */
interface Life {
  readonly link: Link;
  readonly calls: CallTable;
  /** Settles when the instance ended without being asked to. */
  readonly ended: Promise<Ended>;
  end(ended: Ended): void;
}

/** Wraps the link of each instance of an actor, for fault injection. */
export type LinkWrapper = (link: Link, kill: () => void) => Link;

/** Hears that an instance died by itself, when nothing of it is left. */
export type OnDown = (child: Child, ended: Ended, epoch: number) => void;

/** An actor under supervision: its present instance, if any, and what outlives each instance. */
export class Child implements Supervised {
  readonly spec: ChildSpec;
  readonly #onDown: OnDown;
  readonly #clock: Clock;
  readonly #dropped = createDropRegistry();
  #state: NodeState = 'stopped';
  #life: Life | undefined;
  /** Settles when nothing of the last instance is left. */
  #gone: Promise<void> = Promise.resolve();
  #methods: MethodTable = {};
  #epoch = 0;
  #starts = 0;
  #startedAtMs = 0;
  #waiters: ((error?: AppError) => void)[] = [];
  #wrap: LinkWrapper | undefined;

  constructor(spec: ChildSpec, onDown: OnDown, clock: Clock | undefined) {
    this.spec = spec;
    this.#onDown = onDown;
    this.#clock = clock ?? systemClock;
  }

  get id(): string {
    return this.spec.id;
  }

  get running(): boolean {
    return this.#state === 'running';
  }

  get epoch(): number {
    return this.#epoch;
  }

  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  /** The protocol, as the last instance showed it. */
  get methods(): MethodTable {
    return this.#methods;
  }

  /** Makes an instance. Rejects with what `started` threw, or `actor_start_failed`, `actor_module_not_found`. */
  async start(): Promise<void> {
    this.#epoch++;
    this.#state = 'starting';
    const life = this.#open();
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
    this.#starts++;
    this.#startedAtMs = this.#clock.nowMs();
    this.#state = 'running';
    life.link.hold(false);
    this.#listen(life);
    this.#wakeWaiters();
  }

  async stop(next: 'restarting' | 'stopped' | 'escalated'): Promise<void> {
    this.#epoch++;
    const life = this.#life;
    if (life === undefined) {
      // It has just died, and its thread may still run: what follows must not share memory with it.
      await this.#gone;
      return this.mark(next);
    }
    this.#state = 'stopping';
    life.calls.pin();
    const { id, shutdownMs, interrupt } = this.spec;
    try {
      interrupt?.();
      if (shutdownMs > 0) {
        const stopped = Promise.race([life.link.stop(), life.ended]);
        await waitFor(stopped, `stopping() of actor "${id}"`, { deadlineMs: shutdownMs, clock: this.#clock });
      }
    } catch {
      // Whether it was slow or failed to stop: it is torn down all the same.
    }
    life.calls.close(new AppError('actor_stopped', `actor "${id}" was stopped with the call under way`, { actor: id }));
    await this.#drop(life);
    this.mark(next);
  }

  halt(): void {
    if (this.#state !== 'starting') return;
    const error = new AppError('actor_down', `actor "${this.id}" was stopped while it started`, { actor: this.id });
    this.#life?.end({ normal: false, error });
  }

  /** Ends the present instance as if it had crashed, of `reason`. */
  kill(reason = new AppError('actor_killed', `actor "${this.id}" was killed`)): void {
    if (this.#life === undefined || !this.running) throw this.#downError();
    this.#life.end({ normal: false, error: reason });
  }

  mark(next: 'restarting' | 'stopped' | 'escalated'): void {
    this.#epoch++;
    this.#state = next;
    if (next !== 'restarting') this.#wakeWaiters(this.#downError());
  }

  /** Calls a method of the present instance. */
  call(method: string, args: readonly unknown[], options: CallOptions): Promise<unknown> {
    const answer = this.running ? this.#calls().call(method, args, options) : this.#callLater(method, args, options);
    // A call whose answer nobody awaits must not end the process; a crash is told by the supervisor's events.
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

  /** Wraps what calls go through, of this and every later instance; for fault injection. */
  wrapLinks(wrap: LinkWrapper | undefined): void {
    this.#wrap = wrap;
    if (this.#life !== undefined) this.#life.calls.link = this.#wrapped(this.#life.link);
  }

  toTree(): TreeNode {
    return {
      id: this.id,
      placement: this.spec.placement,
      restarts: this.restarts,
      mailboxDepth: this.#life?.calls.depth ?? 0,
      uptimeMs: this.running ? this.#clock.nowMs() - this.#startedAtMs : 0,
      state: this.#state,
      children: [],
    };
  }

  #open(): Life {
    const { id, placement, heapMb, mailbox = DEFAULT_MAILBOX, callDeadlineMs = DEFAULT_CALL_DEADLINE_MS } = this.spec;
    let end: (ended: Ended) => void = () => {};
    const ended = new Promise<Ended>((resolve) => {
      end = resolve;
    });
    const link = placements[placement].open({ id, heapMb }, (news) => end(news));
    const onCrash = (failure: Failure): void => end(crashOf(failure));
    const calls = new CallTable({
      id,
      link: this.#wrapped(link),
      mailbox,
      callDeadlineMs,
      clock: this.#clock,
      onCrash,
    });
    return { link, calls, ended, end: (news) => end(news) };
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

  async #died(life: Life, ended: Ended): Promise<void> {
    if (this.#life !== life || !this.running) return;
    const epoch = this.#epoch;
    this.#state = this.spec.restart === 'temporary' ? 'stopped' : 'restarting';
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
    const final = this.#state === 'stopped' || this.#state === 'escalated';
    if (options.whenDown !== 'wait' || final) throw this.#downError();
    const { deadlineMs = this.spec.callDeadlineMs ?? DEFAULT_CALL_DEADLINE_MS, signal } = options;
    const up = new Promise<void>((resolve, reject) => {
      this.#waiters.push((error) => (error === undefined ? resolve() : reject(error)));
    });
    const limit = Number.isFinite(deadlineMs) ? { deadlineMs } : {};
    const keepAlive = createKeepAlive();
    keepAlive.waiting(true);
    try {
      await waitFor(up, `the restart of actor "${this.id}"`, { ...limit, signal, clock: this.#clock });
    } finally {
      keepAlive.clear();
    }
  }

  #wakeWaiters(error?: AppError): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake(error);
  }

  #downError(): AppError {
    const actor = this.id;
    if (this.#state === 'escalated') {
      const message = `actor "${actor}" is gone: its supervisor gave up after too many restarts; start a new tree`;
      return new AppError('supervisor_escalated', message, { actor });
    }
    return new AppError('actor_down', `actor "${actor}" is ${this.#state}: the call was not delivered`, {
      actor,
      state: this.#state,
    });
  }
}

function crashOf({ error, stack }: Failure): Ended {
  return { normal: false, error: fromErrorData(error), stack };
}

/** What calls under way get when the instance dies of `error`. */
function asCrash(actor: string, error: AppError): AppError {
  if (error.code === 'actor_crashed') return error;
  const message = `actor "${actor}" died with the call under way: ${error.message}`;
  return new AppError('actor_crashed', message, { ...error.details, actor, cause: error.code });
}

/** An expected error of `started` passes as it is: its code means something to whoever asked for the start. */
function startError(actor: string, thrown: unknown): AppError {
  const error = isFailure(thrown) ? fromErrorData(thrown.error) : thrown;
  const expected = isAppError(error) && !['actor_crashed', 'actor_exited', 'deadline_exceeded'].includes(error.code);
  if (expected) return error;
  const cause = isAppError(error) ? (error.details['cause'] ?? error.code) : 'internal_error';
  const why = isError(error) ? error.message : String(error);
  return new AppError('actor_start_failed', `actor "${actor}" did not start: ${why}`, { actor, cause });
}
