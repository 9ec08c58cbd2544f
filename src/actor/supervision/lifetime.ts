import type { Clock } from '../../base/index.js';
import type { NodeState, TreeNode } from './tree.js';

/** The state of an actor or supervisor, its restarts, and the start of its present run. */
export class Lifetime {
  readonly #clock: Clock;
  #state: NodeState = 'stopped';
  #epoch = 0;
  #starts = 0;
  #startedAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get state(): NodeState {
    return this.#state;
  }

  set state(state: NodeState) {
    this.#state = state;
  }

  get running(): boolean {
    return this.#state === 'running';
  }

  /** Changes with each turn, so that late events of a former instance are recognised. */
  get epoch(): number {
    return this.#epoch;
  }

  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  /** Another start or end: events of earlier epochs are stale from here on. */
  turn(state: NodeState): void {
    this.#epoch++;
    this.#state = state;
  }

  /** It runs now. */
  run(): void {
    this.#starts++;
    this.#startedAtMs = this.#clock.nowMs();
    this.#state = 'running';
  }

  /** Its part of a node of the live tree. */
  toTree(mailboxDepth: number): Omit<TreeNode, 'id' | 'placement' | 'children'> {
    const uptimeMs = this.running ? this.#clock.nowMs() - this.#startedAtMs : 0;
    return { restarts: this.restarts, mailboxDepth, uptimeMs, state: this.#state };
  }
}
