import type { AppError, Clock } from '../../base/index.js';
import type { Placement } from '../actor.js';

/** When a child that ended is started again: always, unless it ended in order, or never. */
export type Restart = 'permanent' | 'transient' | 'temporary';

/** Which children restart after a death: the dead one, all, or it and those started after it. */
export type Strategy = 'oneForOne' | 'oneForAll' | 'restForOne';

/** An actor of a supervision tree, as data. */
export interface ChildSpec<Init = unknown> {
  /** Unique in the whole tree. */
  readonly id: string;
  /** The module that exports the class by name. It is imported at the placement, whatever that is. */
  readonly actor: {
    /** Its URL, or its path as a `file:` URL. */
    readonly module: URL | string;
    /** The name under which it exports the class. */
    readonly name: string;
  };
  /**
   * Argument of the constructor; a function is evaluated at each start. For `thread` it must be cloneable (shared
   * memory, WebAssembly.Module and transferred MessagePorts are), for `process` plain data.
   */
  readonly init: Init | (() => Init);
  /** When the runtime starts it again. */
  readonly restart: Restart;
  /** Time limit of `stopping`; then the placement is torn down. 0: torn down at once. */
  readonly shutdownMs: number;
  /** Where it runs. */
  readonly placement: Placement;
  /** Calls under way at most; past it `mailbox_full`. Default 1,024: 60 µs each is 60 ms of work. */
  readonly mailbox?: number;
  /** Deadline of each call without one. Default 30,000; `Infinity`: none. */
  readonly callDeadlineMs?: number;
  /** Time limit of constructor and `started` together. Default 60,000. */
  readonly startDeadlineMs?: number;
  /** Limit of the old generation's heap of a thread or process, in MiB. */
  readonly heapMb?: number;
  /** Starts concurrently with the previous child and must not depend on it. Its `init` is still made after that child's. */
  readonly startsBeside?: boolean;
  /** Called before the actor is stopped. Wakes a parked or computing thread by a control word that the thread reads. */
  readonly interrupt?: () => void;
}

/** A supervisor of a tree, as data. */
export interface SupervisorSpec {
  /** Unique in the whole tree. */
  readonly id: string;
  /** Which children restart after a death. */
  readonly strategy: Strategy;
  /** Restarts allowed within `periodMs`; one more and the supervisor gives up and escalates. OTP's default is 1 in 5 s. */
  readonly intensity: number;
  /** Milliseconds over which restarts are counted. */
  readonly periodMs: number;
  /** Pause before the second, third, … restart within the period: `first`, doubled each time, at most `max`. */
  readonly backoffMs?: {
    /** Milliseconds before the second. */
    readonly first: number;
    /** Milliseconds at most. */
    readonly max: number;
  };
  /**
   * Asked once for each death of a running child, before its restart. True: the child's request explains the death.
   * Then it does not count, the earlier restarts are forgotten, and the restart comes without a pause. Deaths during a
   * start are never asked about.
   */
  readonly isExplained?: (error: AppError) => boolean;
  /** When the parent supervisor starts it again after it gave up. Default `permanent`. */
  readonly restart?: Restart;
  /**
   * Makes anew the resources that the children share; runs while no child runs. It runs at each start of the supervisor
   * and before each restart of the whole group. That is every restart by `oneForAll`, and one by `restForOne` when the
   * first child falls. It fails as the start of a child does, also when it takes more than 60 s. The signal aborts when
   * the supervisor stops meanwhile.
   */
  readonly prepare?: (signal: AbortSignal) => Promise<void> | void;
  /** Children at most, those that are started later included. Default 1,024. */
  readonly maxChildren?: number;
  /** Started in this order, stopped in reverse. */
  readonly children: readonly (ChildSpec | SupervisorSpec)[];
  /** The clock of restarts and deadlines. Nested supervisors take their parent's unless they have one. */
  readonly clock?: Clock;
}

/** Whether `spec` is a supervisor's. */
export function isSupervisorSpec(spec: ChildSpec | SupervisorSpec): spec is SupervisorSpec {
  return 'children' in spec;
}
