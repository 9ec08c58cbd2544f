import type { AppError, Clock } from '../../base/index.js';
import type { Placement } from '../actor.js';

/** When a child that ended is started again: always, unless it ended in order, or never. */
export type Restart = 'permanent' | 'transient' | 'temporary';

/** Who is restarted with a child that died: it alone, all, or it and those started after it. */
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
   * What the constructor gets; a function is evaluated at each start. For `thread` it must be cloneable (shared
   * memory, WebAssembly.Module and transferred MessagePorts are), for `process` plain data.
   */
  readonly init: Init | (() => Init);
  /** When it is started again. */
  readonly restart: Restart;
  /** What `stopping` may take; then the placement is torn down. 0: torn down at once. */
  readonly shutdownMs: number;
  /** Where it runs. */
  readonly placement: Placement;
  /** Calls under way at most; past it `mailbox_full`. Default 1,024: 60 µs each is 60 ms of work. */
  readonly mailbox?: number;
  /** Deadline of each call that brings none. Default 30,000; `Infinity`: none. */
  readonly callDeadlineMs?: number;
  /** What constructor and `started` may take together. Default 60,000. */
  readonly startDeadlineMs?: number;
  /** Limit of the old generation's heap of a thread or process, in MiB. */
  readonly heapMb?: number;
  /** Starts at the same time as the child before it, of which its start needs nothing. Its `init` is still made after that one's. */
  readonly startsBeside?: boolean;
  /** Called before the actor is stopped: wakes a thread that is parked or computes, by a control word it reads. */
  readonly interrupt?: () => void;
}

/** A supervisor of a tree, as data. */
export interface SupervisorSpec {
  /** Unique in the whole tree. */
  readonly id: string;
  /** Who is restarted with a child that died. */
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
   * Asked once of each death of a child's instance, before it is replaced: true when it is explained by what the child was
   * asked for. It is then not counted, nothing before it is counted any more, and the restart comes without a pause. Deaths
   * while starting are never asked about.
   */
  readonly isExplained?: (error: AppError) => boolean;
  /** When it is started again after it gave up, as a child of another. Default `permanent`. */
  readonly restart?: Restart;
  /**
   * Runs before the children start, while none of them runs: at each start of the supervisor, and before each restart of
   * the whole group, which is every restart by `oneForAll`, and by `restForOne` when the first child falls. Makes anew what
   * the children share. Fails as the start of a child does, also when it takes more than 60 s; the signal aborts when the
   * supervisor stops meanwhile.
   */
  readonly prepare?: (signal: AbortSignal) => Promise<void> | void;
  /** Children at most, those that are started later included. Default 1,024. */
  readonly maxChildren?: number;
  /** Started in this order, stopped in reverse. */
  readonly children: readonly (ChildSpec | SupervisorSpec)[];
  /** Time as restarts and deadlines read it. Nested supervisors take their parent's unless they have one. */
  readonly clock?: Clock;
}

/** Whether `spec` is that of a supervisor. */
export function isSupervisorSpec(spec: ChildSpec | SupervisorSpec): spec is SupervisorSpec {
  return 'children' in spec;
}
