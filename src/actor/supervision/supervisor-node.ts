import { AppError, systemClock, toErrorData, type Clock } from '../../base/index.js';
import { Child } from './child.js';
import { createKeepAlive } from '../keep-alive.js';
import type { Ended } from '../link.js';
import { backoffMs, DEFAULT_BACKOFF_MS, RestartWindow } from './restart-window.js';
import { isSupervisorSpec, type Restart, type SupervisorSpec } from './spec.js';
import type { EventListener, NodeState, Supervised, TreeNode } from './tree.js';

/** Hears that a supervisor gave up, when all its children are stopped. */
export type OnEscalated = (node: SupervisorNode, error: AppError, epoch: number) => void;

/**
 * One supervisor of a tree, with OTP's rules (erlang.org, "Supervisor Behaviour" and supervisor.erl). All it does to
 * its children runs in one lane, a step at a time, in the order in which the news came.
 */
export class SupervisorNode implements Supervised {
  readonly spec: SupervisorSpec;
  readonly children: readonly (Child | SupervisorNode)[];
  readonly #emit: EventListener;
  readonly #onEscalated: OnEscalated;
  readonly #clock: Clock;
  readonly #window: RestartWindow;
  readonly #pauses = new Set<() => void>();
  #lane: Promise<void> = Promise.resolve();
  #state: NodeState = 'stopped';
  #halted = false;
  #epoch = 0;
  #starts = 0;
  #startedAtMs = 0;

  constructor(spec: SupervisorSpec, emit: EventListener, onEscalated: OnEscalated, clock?: Clock) {
    this.spec = spec;
    this.#emit = emit;
    this.#onEscalated = onEscalated;
    this.#clock = spec.clock ?? clock ?? systemClock;
    this.#window = new RestartWindow(spec.intensity, spec.periodMs);
    this.children = spec.children.map((child) =>
      isSupervisorSpec(child)
        ? new SupervisorNode(
            child,
            emit,
            (node, error, epoch) => this.#hear(node, { normal: false, error }, epoch),
            this.#clock,
          )
        : new Child(child, (node, ended, epoch) => this.#hear(node, ended, epoch), this.#clock),
    );
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

  /** Starts the children in order; when one fails, stops the others in reverse and rejects with its error. */
  start(): Promise<void> {
    return this.#inLane(() => this.#startAll());
  }

  async #startAll(): Promise<void> {
    this.#epoch++;
    this.#state = 'starting';
    this.#halted = false;
    this.#window.clear();
    for (const together of startGroups(this.children)) {
      try {
        if (this.#halted) throw new AppError('actor_down', `supervisor "${this.id}" was stopped while it started`);
        const [failure] = await this.#startTogether(together);
        if (failure !== undefined) throw failure.error;
      } catch (thrown) {
        this.halt();
        await this.#stopAll('stopped');
        this.#state = 'stopped';
        throw thrown;
      }
    }
    this.#starts++;
    this.#startedAtMs = this.#clock.nowMs();
    this.#state = 'running';
  }

  /** Stops the children in reverse. */
  async stop(next: 'restarting' | 'stopped' | 'escalated'): Promise<void> {
    this.#epoch++;
    if (this.#state !== 'restarting') this.#state = 'stopping';
    this.halt();
    await this.#inLane(() => this.#stopAll(next));
    this.mark(next);
  }

  halt(): void {
    this.#halted = true;
    for (const cancel of this.#pauses) cancel();
    this.#pauses.clear();
    for (const child of this.children) child.halt();
  }

  mark(next: 'restarting' | 'stopped' | 'escalated'): void {
    this.#epoch++;
    this.#state = next;
    for (const child of this.children) child.mark(next);
  }

  /** Stops the child and starts it again, without counting it. Ends in an ordinary crash when it does not start. */
  restart(child: Supervised): Promise<void> {
    return this.#inLane(async () => {
      if (this.#halted) throw new AppError('actor_down', `supervisor "${this.id}" is ${this.#state}`);
      await child.stop('restarting');
      await this.#startFrom([child]);
    });
  }

  toTree(): TreeNode {
    const children = this.children.map((child) => child.toTree());
    return {
      id: this.id,
      placement: 'supervisor',
      restarts: this.restarts,
      mailboxDepth: children.reduce((sum, child) => sum + child.mailboxDepth, 0),
      uptimeMs: this.running ? this.#clock.nowMs() - this.#startedAtMs : 0,
      state: this.#state,
      children,
    };
  }

  #inLane(step: () => Promise<void>): Promise<void> {
    const done = this.#lane.then(step);
    this.#lane = done.catch(() => {});
    return done;
  }

  #hear(child: Supervised, ended: Ended, epoch: number): void {
    void this.#inLane(async () => {
      if (this.#halted || child.epoch !== epoch) return;
      await this.#onDown(child, ended);
    });
  }

  async #onDown(child: Supervised, ended: Ended): Promise<void> {
    const restart = restartOf(child);
    const reason = toErrorData(ended.error);
    if (!ended.normal && child instanceof Child) {
      const stack = ended.stack === undefined ? {} : { stack: ended.stack };
      this.#emit({ type: 'crashed', id: child.id, restarts: restartsOf(child), reason, ...stack });
    }
    if (restart === 'temporary' || (restart === 'transient' && ended.normal)) {
      child.mark('stopped');
      this.#emit({ type: 'stopped', id: child.id, restarts: restartsOf(child), reason });
      return;
    }
    if (this.spec.isExplained?.(ended.error) === true) {
      this.#window.clear();
      return this.#restartGroup(child, 0);
    }
    await this.#replace(child, ended.error);
  }

  /** Counts the restart; gives up, or restarts who falls with the child. */
  async #replace(child: Supervised, error: AppError): Promise<void> {
    const count = this.#window.note(this.#clock.nowMs());
    if (count === undefined) return this.#escalate(child, error);
    await this.#restartGroup(child, backoffMs(count, this.spec.backoffMs ?? DEFAULT_BACKOFF_MS));
  }

  /** Takes down who falls with the child, and starts them again, at once or after a pause. */
  async #restartGroup(child: Supervised, pauseMs: number): Promise<void> {
    child.mark('restarting');
    const group = this.#groupOf(child);
    for (const member of group.toReversed()) {
      if (member !== child) await this.#takeDown(member);
    }
    if (pauseMs === 0) return this.#startFrom(group);
    // As a start does: who waits for the restart must not find that the process has ended instead.
    const keepAlive = createKeepAlive();
    keepAlive.waiting(true);
    const cancelTimer = this.#clock.after(pauseMs, () => {
      cancel();
      void this.#inLane(() => this.#startFrom(group));
    });
    const cancel = (): void => {
      cancelTimer();
      keepAlive.clear();
      this.#pauses.delete(cancel);
    };
    this.#pauses.add(cancel);
  }

  /** Stops a member of a group; temporary ones do not come back. */
  async #takeDown(member: Supervised): Promise<void> {
    await this.#stopOne(member, restartOf(member) === 'temporary' ? 'stopped' : 'restarting');
  }

  async #stopOne(child: Supervised, next: 'restarting' | 'stopped' | 'escalated'): Promise<void> {
    const ran = child.running;
    await child.stop(next);
    if (ran && child instanceof Child) this.#emit({ type: 'stopped', id: child.id, restarts: child.restarts });
  }

  /** Starts who does not run, in order. A failure counts as one more restart of that child. */
  async #startFrom(group: readonly Supervised[]): Promise<void> {
    const isDown = (child: Supervised): boolean =>
      !child.running && (restartOf(child) !== 'temporary' || group.length === 1);
    for (const together of startGroups(group)) {
      if (this.#halted) return;
      const [failure] = await this.#startTogether(together.filter(isDown));
      if (failure === undefined) continue;
      if (this.#halted) return;
      const { child, error } = failure;
      this.#emit({ type: 'crashed', id: child.id, restarts: restartsOf(child), reason: toErrorData(error) });
      return this.#replace(child, error);
    }
  }

  /** Starts children at the same time and waits for all of them; those that did not start, and why. */
  async #startTogether(children: readonly Supervised[]): Promise<{ child: Supervised; error: AppError }[]> {
    const failures = await Promise.all(
      children.map(async (child) => {
        try {
          await child.start();
        } catch (thrown) {
          return { child, error: thrown as AppError };
        }
        return this.#tell(child);
      }),
    );
    return failures.filter((failure) => failure !== undefined);
  }

  async #escalate(child: Supervised, cause: AppError): Promise<void> {
    const { intensity, periodMs } = this.spec;
    const message = `supervisor "${this.id}" gave up: more than ${intensity} restarts in ${periodMs} ms, the last of "${child.id}": ${cause.message}`;
    const error = new AppError('supervisor_escalated', message, {
      supervisor: this.id,
      actor: child.id,
      intensity,
      periodMs,
    });
    this.halt();
    this.#state = 'restarting';
    await this.#stopAll('restarting');
    this.#emit({ type: 'escalated', id: this.id, restarts: this.restarts, reason: toErrorData(error) });
    this.#onEscalated(this, error, this.#epoch);
  }

  async #stopAll(next: 'restarting' | 'stopped' | 'escalated'): Promise<void> {
    for (const child of this.children.toReversed()) await this.#stopOne(child, next);
  }

  #groupOf(child: Supervised): readonly Supervised[] {
    if (this.spec.strategy === 'oneForOne') return [child];
    if (this.spec.strategy === 'oneForAll') return this.children;
    return this.children.slice(this.children.findIndex((one) => one.id === child.id));
  }

  #tell(child: Supervised): undefined {
    const restarts = restartsOf(child);
    this.#emit({ type: restarts === 0 ? 'started' : 'restarted', id: child.id, restarts });
  }
}

/** Children in the order of their starts: one after the other, but those that say so beside the one before them. */
function startGroups(children: readonly Supervised[]): Supervised[][] {
  const groups: Supervised[][] = [];
  for (const child of children) {
    const before = groups.at(-1);
    if (before !== undefined && child instanceof Child && child.spec.startsBeside === true) before.push(child);
    else groups.push([child]);
  }
  return groups;
}

function restartOf(child: Supervised): Restart {
  return child instanceof Child ? child.spec.restart : 'permanent';
}

function restartsOf(child: Supervised): number {
  return child.toTree().restarts;
}
