import {
  AppError,
  callback,
  checkedLater,
  checkOptions,
  flag,
  oneOf,
  text,
  type Clock,
  type OptionTable,
} from '../../base/index.js';
import type { Placement } from '../actor.js';

/** When an actor that ended is started again: always, unless it ended in order, or never. */
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
  /** Started in this order, stopped in reverse. */
  readonly children: readonly (ChildSpec | SupervisorSpec)[];
  /** Time as restarts and deadlines read it. Nested supervisors take their parent's unless they have one. */
  readonly clock?: Clock;
}

/** Whether `spec` is that of a supervisor. */
export function isSupervisorSpec(spec: ChildSpec | SupervisorSpec): spec is SupervisorSpec {
  return 'children' in spec;
}

const ID = text('a string that is not empty');
const childFields: OptionTable<ChildSpec> = {
  id: ID,
  actor: checkedLater,
  init: checkedLater,
  restart: oneOf('permanent', 'transient', 'temporary'),
  shutdownMs: checkedLater,
  placement: oneOf('inline', 'thread', 'process'),
  mailbox: checkedLater,
  callDeadlineMs: checkedLater,
  startDeadlineMs: checkedLater,
  heapMb: checkedLater,
  startsBeside: flag,
  interrupt: callback,
};
const actorFields: OptionTable<ChildSpec['actor']> = { module: checkedLater, name: text('the name of a class') };
const supervisorFields: OptionTable<SupervisorSpec> = {
  id: ID,
  strategy: oneOf('oneForOne', 'oneForAll', 'restForOne'),
  intensity: checkedLater,
  periodMs: checkedLater,
  backoffMs: checkedLater,
  isExplained: callback,
  children: { accepts: Array.isArray, expected: 'a list of specs' },
  clock: checkedLater,
};

/** Refuses a tree with an unknown field, an id twice or a value outside its range. Errors: `actor_spec_invalid`. */
export function checkSpec(spec: ChildSpec | SupervisorSpec, seen: Set<string> = new Set()): void {
  if (typeof spec !== 'object' || spec === null) refuse('?', 'spec', String(spec), 'an object');
  const code = 'actor_spec_invalid';
  const call = `the spec of "${spec.id}"`;
  if (isSupervisorSpec(spec)) checkOptions(call, spec, supervisorFields, code);
  else {
    checkOptions(call, spec, childFields, code);
    const { module } = checkOptions(`the actor of "${spec.id}"`, spec.actor, actorFields, code);
    if (module === undefined) refuse(spec.id, 'actor.module', 'absent', 'the URL of a module');
  }
  if (spec.id === '' || seen.has(spec.id)) refuse(spec.id, 'id', spec.id, 'unique in the tree and not empty');
  seen.add(spec.id);
  if (isSupervisorSpec(spec)) {
    checkNumber(spec.id, 'intensity', spec.intensity, 0);
    checkNumber(spec.id, 'periodMs', spec.periodMs, 1);
    for (const child of spec.children) checkSpec(child, seen);
    return;
  }
  checkNumber(spec.id, 'shutdownMs', spec.shutdownMs, 0);
  checkNumber(spec.id, 'mailbox', spec.mailbox ?? 1, 1);
  checkNumber(spec.id, 'callDeadlineMs', spec.callDeadlineMs ?? 1, 1);
  checkNumber(spec.id, 'startDeadlineMs', spec.startDeadlineMs ?? 1, 1);
}

function checkNumber(id: string, field: string, value: number, least: number): void {
  if (!(value >= least)) refuse(id, field, value, `a number of at least ${least}`);
}

function refuse(id: string, field: string, value: string | number, rule: string): never {
  const message = `spec of "${id}": ${field} is ${JSON.stringify(value)}; it must be ${rule}`;
  throw new AppError('actor_spec_invalid', message, { actor: id, field });
}
