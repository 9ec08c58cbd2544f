import { type CodeTable, type ErrorData, isAppError, isError } from '../base/index.js';

/** Codes of the actor runtime. */
export const actorCodes = {
  actor_unknown: { who: 'developer', kind: 'internal', when: 'a supervision tree has no actor of the id asked for' },
  actor_spec_invalid: {
    who: 'developer',
    kind: 'internal',
    when: 'a child or supervisor spec has a value outside its range or an id twice',
  },
  supervisor_full: {
    who: 'wait',
    kind: 'unavailable',
    when: 'a supervisor has as many children as it may and is asked to start one more',
  },
  actor_module_not_found: {
    who: 'developer',
    kind: 'internal',
    when: 'the module of an actor cannot be imported at its placement',
  },
  actor_start_failed: {
    who: 'developer',
    kind: 'internal',
    when: 'an actor threw, died or stayed silent while it started',
  },
  actor_down: { who: 'wait', kind: 'unavailable', when: 'an actor is not running: the call was not delivered' },
  actor_crashed: {
    who: 'wait',
    kind: 'unavailable',
    when: 'an actor died with the call under way: it may have been carried out or not',
  },
  actor_stopped: { who: 'wait', kind: 'unavailable', when: 'an actor was stopped in order with the call under way' },
  actor_exited: { who: 'developer', kind: 'internal', when: 'the thread or process of an actor ended by itself' },
  actor_killed: { who: 'operator', kind: 'unavailable', when: 'an actor was killed by its supervisor on request' },
  actor_method_unknown: {
    who: 'developer',
    kind: 'internal',
    when: 'an actor has no public method of the name called',
  },
  supervisor_escalated: {
    who: 'operator',
    kind: 'unavailable',
    when: 'restarts passed the intensity of the top supervisor, which gave up',
  },
  mailbox_full: {
    who: 'wait',
    kind: 'unavailable',
    when: 'as many calls as the mailbox of an actor holds are under way',
  },
  call_cancelled: {
    who: 'caller',
    kind: 'cancelled',
    when: 'the caller of a method gave up: abort, deadline, or an iteration left early',
  },
  not_cloneable: {
    who: 'developer',
    kind: 'internal',
    when: 'an argument, result or init cannot cross to another thread or process',
  },
  ring_closed: { who: 'developer', kind: 'internal', when: 'a ring was written after it was closed' },
  ring_record_too_large: { who: 'caller', kind: 'internal', when: 'a record is larger than the ring takes at once' },
  ring_invalid: {
    who: 'developer',
    kind: 'internal',
    when: 'a ring is asked for with a capacity or kind that it cannot have',
  },
} as const satisfies CodeTable;

/** How a method, a start or a stream failed, in the form that crosses threads. */
export interface Failure {
  /** `answer`: an expected error, the actor lives on. `crash`: a bug, the actor must be replaced. */
  readonly kind: 'answer' | 'crash';
  readonly error: ErrorData;
  readonly stack?: string;
}

/** Whether `value` is a `Failure` that another thread threw. */
export function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'kind' in value && 'error' in value;
}

/** The name and message of anything thrown: `TypeError: x is not a function`. */
export function describeThrown(thrown: unknown): string {
  return isError(thrown) ? `${thrown.name}: ${thrown.message}` : String(thrown);
}

/** The code of anything thrown, or its name: the value of `details.cause`. */
export function causeOf(thrown: unknown): string {
  if (!isError(thrown)) return typeof thrown;
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name;
}

/** The failure for an exception `thrown` that left an actor's code at `where`. */
export function toFailure(actor: string, where: string, thrown: unknown, cancelled = false): Failure {
  if (isAppError(thrown) && thrown.code !== 'internal_error') {
    return { kind: 'answer', error: { code: thrown.code, message: thrown.message, details: thrown.details } };
  }
  if (cancelled && isError(thrown) && thrown.name === 'AbortError') {
    return { kind: 'answer', error: { code: 'call_cancelled', message: `${where} was cancelled`, details: { actor } } };
  }
  return toCrash(actor, where, thrown);
}

/** The crash for `thrown`, expected or not, when there is no caller to answer. */
export function toCrash(actor: string, where: string, thrown: unknown): Failure {
  const error: ErrorData = {
    code: 'actor_crashed',
    message: `actor "${actor}" crashed in ${where}: ${describeThrown(thrown)}`,
    details: { actor, cause: causeOf(thrown) },
  };
  const stack = isError(thrown) ? thrown.stack : undefined;
  return stack === undefined ? { kind: 'crash', error } : { kind: 'crash', error, stack };
}
