import type { Clock } from '../../base/index.js';
import type { NodeState, TreeNode } from './tree.js';

/** What an actor or supervisor does now, and how often and since when it runs. */
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

  /** Changes with each turn: tells news of a former instance from news of this one. */
  get epoch(): number {
    return this.#epoch;
  }

  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  /** Another start or end: from here on news from before is old. */
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
