import type { ErrorData } from '../../base/index.js';
import type { Placement } from '../actor.js';
import type { Restart } from './spec.js';

/** The present state of an actor or supervisor. */
export type NodeState = 'starting' | 'running' | 'restarting' | 'stopping' | 'stopped' | 'escalated';

/** An actor or supervisor of the live tree, as data. */
export interface TreeNode {
  /** Its id in the spec. */
  readonly id: string;
  /** Where it runs. */
  readonly placement: Placement | 'supervisor';
  /** Restarts: instances that replaced an earlier one. */
  readonly restarts: number;
  /** Calls under way or queued; the sum of its children for a supervisor. */
  readonly mailboxDepth: number;
  /** Milliseconds since the start of the present instance; 0 without one. */
  readonly uptimeMs: number;
  /** Its present state. */
  readonly state: NodeState;
  /** Its children, in order. */
  readonly children: readonly TreeNode[];
}

/** An event of a tree. */
export interface SupervisionEvent {
  /** What happened. */
  readonly type: 'started' | 'crashed' | 'restarted' | 'escalated' | 'stopped';
  /** Id of the actor or supervisor of the event. */
  readonly id: string;
  /** Restarts: instances that replaced an earlier one. */
  readonly restarts: number;
  /** The reason, for `crashed`, `escalated`, and `stopped` when the actor ended by itself. */
  readonly reason?: ErrorData;
  /** The stack in the actor's code, for `crashed`. */
  readonly stack?: string;
}

/** Called with each event of a tree. */
export type EventListener = (event: SupervisionEvent) => void;

/** The state after a complete stop: down for now, or for good. */
export type NextState = Extract<NodeState, 'restarting' | 'stopped' | 'escalated'>;

/** A supervisor's view of each of its children, actor or supervisor. */
export interface Supervised {
  readonly id: string;
  readonly spec: { readonly restart?: Restart };
  /** Restarts: instances that replaced an earlier one. */
  readonly restarts: number;
  readonly running: boolean;
  /** Changes with each start and stop, so that late events of a former instance are recognised. */
  readonly epoch: number;
  /** Settles when it runs. After a rejection, always an `AppError`, it is completely gone. */
  start(): Promise<void>;
  /** Settles when it is completely gone; never rejects. `next`: the state after the stop. */
  stop(next: NextState): Promise<void>;
  /** Makes a start under way fail soon. */
  halt(): void;
  /** Sets the state of a child that has died already. */
  mark(next: NextState): void;
  toTree(): TreeNode;
  /** Supervisors only: whether it or a node below has the id. */
  hasId?(id: string): boolean;
}
