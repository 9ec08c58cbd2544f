import type { ErrorData } from '../../base/index.js';
import type { Placement } from '../actor.js';
import type { Restart } from './spec.js';

/** What an actor or supervisor does now. */
export type NodeState = 'starting' | 'running' | 'restarting' | 'stopping' | 'stopped' | 'escalated';

/** An actor or supervisor of the live tree, as data. */
export interface TreeNode {
  /** Its id in the spec. */
  readonly id: string;
  /** Where it runs. */
  readonly placement: Placement | 'supervisor';
  /** Instances that replaced one before them. */
  readonly restarts: number;
  /** Calls under way or queued; the sum of its children for a supervisor. */
  readonly mailboxDepth: number;
  /** Since the present instance runs; 0 when none does. */
  readonly uptimeMs: number;
  /** What it does now. */
  readonly state: NodeState;
  /** Those that it supervises, in order. */
  readonly children: readonly TreeNode[];
}

/** Something that happened in a tree. */
export interface SupervisionEvent {
  /** What happened. */
  readonly type: 'started' | 'crashed' | 'restarted' | 'escalated' | 'stopped';
  /** Whom it happened to. */
  readonly id: string;
  /** Instances that replaced one before them. */
  readonly restarts: number;
  /** Why, for `crashed`, `escalated`, and `stopped` when the actor ended by itself. */
  readonly reason?: ErrorData;
  /** Where in the actor's code, for `crashed`. */
  readonly stack?: string;
}

/** Hears what happens in a tree. */
export type EventListener = (event: SupervisionEvent) => void;

/** What an actor or supervisor is once nothing of it is left: down for now, or for good. */
export type NextState = Extract<NodeState, 'restarting' | 'stopped' | 'escalated'>;

/** What a supervisor knows of each of its children, be it an actor or a supervisor. */
export interface Supervised {
  readonly id: string;
  readonly spec: { readonly restart?: Restart };
  /** Instances that replaced one before them. */
  readonly restarts: number;
  readonly running: boolean;
  /** Changes with each start and stop: tells news of a former instance from news of this one. */
  readonly epoch: number;
  /** Settles when it runs. Rejects with an `AppError`, and then nothing of it is left. */
  start(): Promise<void>;
  /** Settles when nothing of it is left; never rejects. `next`: what it waits for then. */
  stop(next: NextState): Promise<void>;
  /** Makes a start under way fail soon. */
  halt(): void;
  /** Marks what has died already. */
  mark(next: NextState): void;
  toTree(): TreeNode;
  /** Of a supervisor: whether it or one below has the id. */
  hasId?(id: string): boolean;
}
