import { AppError, isAppError, isError, systemClock, toErrorData, waitFor, type Clock } from '../../base/index.js';
import type { InstanceEnd } from '../link.js';
import { Child, DEFAULT_START_DEADLINE_MS } from './child.js';
import { KeyedSteps } from './keyed-steps.js';
import { Lifetime } from './lifetime.js';
import { Members } from './members.js';
import { groupOf, restartOf, startGroups } from './restart-rules.js';
import { isSupervisorSpec, type ChildSpec, type SupervisorSpec } from './spec.js';
import { escalatedError, haltedError } from './supervisor-errors.js';
import type { EventListener, NextState, Supervised, TreeNode } from './tree.js';
import { createKeepAlive } from '../keep-alive.js';

/** Counts restarts within a sliding period. Source: OTP's supervisor.erl, `add_restart`. */
class RestartWindow {
  readonly #intensity: number;
  readonly #periodMs: number;
  #restarts: number[] = [];

  constructor(intensity: number, periodMs: number) {
    this.#intensity = intensity;
    this.#periodMs = periodMs;
  }

  /** Records a restart at `nowMs`. Returns the number within the period, or undefined when it exceeds the intensity. */
  note(nowMs: number): number | undefined {
    this.#restarts = this.#restarts.filter((at) => nowMs - at <= this.#periodMs);
    this.#restarts.push(nowMs);
    return this.#restarts.length > this.#intensity ? undefined : this.#restarts.length;
  }

  /** Forgets all restarts: a restarted supervisor begins anew. */
  clear(): void {
    this.#restarts = [];
  }
}

/** Used when a supervisor spec has none. Milliseconds. */
const DEFAULT_BACKOFF_MS = { first: 50, max: 2_000 };

/**
 * The pause before the `count`-th restart within the period. The first restart is immediate, since most deaths are
 * isolated. No jitter: children of one process do not stampede a shared service.
 */
function backoffMs(count: number, { first, max }: { first: number; max: number }): number {
  return count <= 1 ? 0 : Math.min(max, first * 2 ** (count - 2));
}

/** A child of a supervisor. */
export type Member = Child | SupervisorNode;

/** Called when a supervisor gave up and all its children are stopped. */
export type OnEscalated = (node: SupervisorNode, error: AppError, epoch: number) => void;

/**
 * One supervisor of a tree, with OTP's rules (erlang.org, "Supervisor Behaviour" and supervisor.erl). It handles events
 * in order: with `oneForOne` per child, otherwise across all children.
 */
export class SupervisorNode implements Supervised {
  readonly spec: SupervisorSpec;
  readonly #members: Members<Member>;
  readonly #emit: EventListener;
  readonly #onEscalated: OnEscalated;
  readonly #clock: Clock;
  readonly #window: RestartWindow;
  readonly #pauses: Pauses;
  readonly #steps = new KeyedSteps();
  readonly #lifetime: Lifetime;
  /** Aborted while it stops, gives up or is down. */
  #life = new AbortController();

  constructor(spec: SupervisorSpec, emit: EventListener, onEscalated: OnEscalated, clock?: Clock) {
    this.spec = spec;
    this.#emit = emit;
    this.#onEscalated = onEscalated;
    this.#clock = spec.clock ?? clock ?? systemClock;
    this.#lifetime = new Lifetime(this.#clock);
    this.#window = new RestartWindow(spec.intensity, spec.periodMs);
    this.#pauses = new Pauses(this.#clock);
    this.#members = new Members(spec.id, emit, spec.maxChildren);
    for (const child of spec.children) this.#members.add(this.#make(child, emit));
  }

  get id(): string {
    return this.spec.id;
  }

  get children(): readonly Member[] {
    return this.#members.list;
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

  /** Whether `child` was started by `startChild`, so that the ids below it are its own. */
  isDynamic(child: Member): boolean {
    return this.#members.isDynamic(child);
  }

  /** Whether an id is taken, here or by a node below that was not started later. */
  hasId(id: string): boolean {
    return this.id === id || this.#members.hasId(id);
  }

  /** Starts the children in order; when one fails, stops the others in reverse and rejects with its error. */
  start(): Promise<void> {
    return this.#steps.all(() => this.#startAll());
  }

  async #startAll(): Promise<void> {
    this.#lifetime.turn('starting');
    this.#life = new AbortController();
    this.#window.clear();
    try {
      await this.#prepare();
      for (const together of startGroups(this.children)) {
        if (this.#isHalted) throw haltedError(this.id, 'was stopped while it started');
        const [failure] = await this.#members.start(together);
        if (failure !== undefined) throw failure.error;
      }
    } catch (thrown) {
      this.halt();
      await this.#members.stop(this.children, 'stopped');
      this.#lifetime.state = 'stopped';
      throw thrown;
    }
    this.#lifetime.run();
  }

  /** Stops the children in reverse. */
  async stop(next: NextState): Promise<void> {
    this.#lifetime.turn(this.#lifetime.state === 'restarting' ? 'restarting' : 'stopping');
    this.halt();
    await this.#steps.all(() => this.#members.stop(this.children, next));
    this.mark(next);
  }

  halt(): void {
    this.#life.abort(haltedError(this.id, 'was stopped while it started'));
    this.#pauses.cancelAll();
    for (const child of this.children) child.halt();
  }

  mark(next: NextState): void {
    this.#lifetime.turn(next);
    for (const child of this.children) child.mark(next);
  }

  /** Stops the child and starts it again, without counting it. Ends in an ordinary crash when it does not start. */
  restart(child: Member): Promise<void> {
    return this.#inOrder(child, async () => {
      this.#throwIfHalted();
      if (!this.children.includes(child)) throw haltedError(this.id, `has no child "${child.id}" any more`);
      await child.stop('restarting');
      await this.#startFrom([child]);
    });
  }

  /**
   * Starts one more child after the present ones, which restarts and stops as they do, until `stopChild`. `listener` also
   * gets its events. On a rejection the child is gone. Errors: those of its start, `supervisor_full`, `actor_down`.
   */
  async startChild(spec: ChildSpec | SupervisorSpec, listener: EventListener): Promise<Member> {
    this.#throwIfHalted();
    const emit: EventListener = (event) => {
      listener(event);
      this.#emit(event);
    };
    const child = this.#make(spec, emit);
    this.#members.announce(child);
    try {
      await this.#inOrder(child, async () => {
        this.#throwIfHalted();
        this.#members.join(child, emit);
        const [failure] = await this.#members.start([child]);
        if (failure !== undefined) throw failure.error;
      });
    } catch (thrown) {
      this.#members.remove(child);
      throw thrown;
    }
    return child;
  }

  /** Stops a child of `startChild` and removes it from the tree; settles when it is completely gone. */
  async stopChild(child: Member): Promise<void> {
    this.#members.leave(child);
    child.halt();
    const stop = async (): Promise<boolean> => {
      if (this.#isHalted) return false;
      await this.#members.stop([child], 'stopped');
      return true;
    };
    // A supervisor that stops or gives up stops this child with the others.
    if (!(await this.#inOrder(child, stop))) await this.#steps.all(async () => {});
    this.#pauses.cancel(child);
    this.#members.remove(child);
  }

  toTree(): TreeNode {
    const children = this.children.map((child) => child.toTree());
    return {
      id: this.id,
      placement: 'supervisor',
      ...this.#lifetime.toTree(children.reduce((sum, child) => sum + child.mailboxDepth, 0)),
      children,
    };
  }

  get #isHalted(): boolean {
    return this.#life.signal.aborted;
  }

  #throwIfHalted(): void {
    if (this.#isHalted) throw haltedError(this.id, `is ${this.#lifetime.state}`);
  }

  #make(spec: ChildSpec | SupervisorSpec, emit: EventListener): Member {
    if (!isSupervisorSpec(spec)) return new Child(spec, (...news) => this.#hear(...news), this.#clock);
    const onEscalated: OnEscalated = (node, error, epoch) => this.#hear(node, { normal: false, error }, epoch);
    return new SupervisorNode(spec, emit, onEscalated, this.#clock);
  }

  #keyOf(child: Member): object {
    return this.spec.strategy === 'oneForOne' ? child : this;
  }

  #inOrder<T>(child: Member, step: () => Promise<T>): Promise<T> {
    return this.#steps.one(this.#keyOf(child), step);
  }

  #hear(child: Member, ended: InstanceEnd, epoch: number): void {
    void this.#inOrder(child, async () => {
      if (this.#isHalted || child.epoch !== epoch) return;
      await this.#onDown(child, ended);
    });
  }

  async #onDown(child: Member, ended: InstanceEnd): Promise<void> {
    const restart = restartOf(child);
    const reason = toErrorData(ended.error);
    if (!ended.normal && child instanceof Child) {
      const stack = ended.stack === undefined ? {} : { stack: ended.stack };
      this.#members.tell(child, 'crashed', { reason, ...stack });
    }
    if (restart === 'temporary' || (restart === 'transient' && ended.normal)) {
      child.mark(child instanceof Child ? 'stopped' : 'escalated');
      return this.#members.tell(child, 'stopped', { reason });
    }
    if (this.spec.isExplained?.(ended.error) === true) {
      this.#window.clear();
      return this.#restartGroup(child, 0);
    }
    await this.#replace(child, ended.error);
  }

  /** Counts the restart; gives up, or restarts the child with its group. */
  async #replace(child: Member, error: AppError): Promise<void> {
    const count = this.#window.note(this.#clock.nowMs());
    if (count === undefined) return this.#escalate(child, error);
    await this.#restartGroup(child, backoffMs(count, this.spec.backoffMs ?? DEFAULT_BACKOFF_MS));
  }

  /** Takes down the child's group and starts it again, at once or after a pause. */
  async #restartGroup(child: Member, pauseMs: number): Promise<void> {
    child.mark('restarting');
    const group = [...groupOf(this.spec.strategy, this.children, [child])];
    await this.#members.takeDown(group.filter((member) => member !== child));
    if (this.#isHalted) return;
    if (pauseMs === 0) return this.#startAgain(group);
    this.#pauses.begin(child, pauseMs, () => void this.#inOrder(child, () => this.#startAgain(group)));
  }

  /** Starts a group that was taken down, without members that left since; `prepare` runs before a whole group. */
  async #startAgain(fallen: readonly Member[]): Promise<void> {
    if (this.#isHalted) return;
    const { strategy, prepare } = this.spec;
    const group = [...groupOf(strategy, this.children, fallen)];
    const [first] = group.filter((member) => !member.running && restartOf(member) !== 'temporary');
    if (first === undefined) return;
    if (prepare !== undefined && strategy !== 'oneForOne' && group.length === this.children.length) {
      // A child that was restarted by hand meanwhile would share the former resources.
      await this.#members.takeDown(group.filter(({ running }) => running));
      try {
        await this.#prepare();
      } catch (thrown) {
        if (this.#isHalted) return;
        const error = thrown as AppError;
        this.#emit({ type: 'crashed', id: this.id, restarts: this.restarts, reason: toErrorData(error) });
        return this.#replace(first, error);
      }
    }
    await this.#startFrom(group);
  }

  #prepare(): Promise<void> {
    return prepareChildren(this.spec, this.#clock, this.#life.signal);
  }

  /** Starts the members that do not run, in order. A failure counts as one more restart of that child. */
  async #startFrom(group: readonly Member[]): Promise<void> {
    const isDown = (child: Member): boolean =>
      !child.running && (restartOf(child) !== 'temporary' || group.length === 1);
    for (const together of startGroups(group)) {
      if (this.#isHalted) return;
      const failures = await this.#members.start(together.filter(isDown));
      if (this.#isHalted) return;
      const failure = failures.find((one) => !this.#members.isLeaving(one.child));
      if (failure === undefined) continue;
      const { child, error } = failure;
      this.#members.tell(child, 'crashed', { reason: toErrorData(error) });
      return this.#replace(child, error);
    }
  }

  async #escalate(child: Member, cause: AppError): Promise<void> {
    const error = escalatedError(this.spec, child.id, cause);
    this.halt();
    this.#lifetime.state = 'restarting';
    await this.#steps.others(this.#keyOf(child));
    await this.#members.stop(this.children, 'restarting');
    this.#emit({ type: 'escalated', id: this.id, restarts: this.restarts, reason: toErrorData(error) });
    this.#onEscalated(this, error, this.epoch);
  }
}

/**
 * Runs the `prepare` of a supervisor, if it has one. Errors: its own `AppError` unchanged, or the reason of `signal`.
 * Any other exception, and a timeout, gives `actor_start_failed`.
 */
async function prepareChildren({ id, prepare }: SupervisorSpec, clock: Clock, signal: AbortSignal): Promise<void> {
  if (prepare === undefined) return;
  signal.throwIfAborted();
  try {
    const done = Promise.resolve(signal).then(prepare);
    await waitFor(done, `prepare() of supervisor "${id}"`, { deadlineMs: DEFAULT_START_DEADLINE_MS, signal, clock });
  } catch (thrown) {
    if (isAppError(thrown) && !['deadline_exceeded', 'internal_error'].includes(thrown.code)) throw thrown;
    const cause = isAppError(thrown) ? thrown.code : 'internal_error';
    const why = isError(thrown) ? thrown.message : String(thrown);
    throw new AppError('actor_start_failed', `supervisor "${id}" did not start: ${why}`, { actor: id, cause });
  }
}

/**
 * Pauses before restarts, by fallen child. Like a start, a pause keeps the process alive: a caller may wait for the
 * restart.
 */
class Pauses {
  readonly #clock: Clock;
  readonly #cancels = new Map<Supervised, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `run` once after `pauseMs`, unless that is cancelled. */
  begin(fallen: Supervised, pauseMs: number, run: () => void): void {
    this.cancel(fallen);
    const keepAlive = createKeepAlive();
    keepAlive.waiting(true);
    const cancelTimer = this.#clock.after(pauseMs, () => {
      this.cancel(fallen);
      run();
    });
    this.#cancels.set(fallen, () => {
      cancelTimer();
      keepAlive.clear();
    });
  }

  /** Ends the pause of `fallen`, if there is one. */
  cancel(fallen: Supervised): void {
    this.#cancels.get(fallen)?.();
    this.#cancels.delete(fallen);
  }

  /** Ends all. */
  cancelAll(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }
}
