import { AppError, fromErrorData, isAppError, isError } from '../../base/index.js';
import { isFailure, type Failure } from '../errors.js';
import type { InstanceEnd } from '../link.js';
import type { NodeState } from './tree.js';

/** The end of an instance that `failure` killed. */
export function crashOf({ error, stack }: Failure): InstanceEnd {
  return { normal: false, error: fromErrorData(error), stack };
}

/** The error of calls under way when the instance dies of `error`. */
export function asCrash(actor: string, error: AppError): AppError {
  if (error.code === 'actor_crashed') return error;
  const message = `actor "${actor}" died with the call under way: ${error.message}`;
  return new AppError('actor_crashed', message, { ...error.details, actor, cause: error.code });
}

/** Passes an expected error of `started` as it is: its code means something to the caller of the start. */
export function startError(actor: string, thrown: unknown): AppError {
  const error = isFailure(thrown) ? fromErrorData(thrown.error) : thrown;
  const expected = isAppError(error) && !['actor_crashed', 'actor_exited', 'deadline_exceeded'].includes(error.code);
  if (expected) return error;
  const cause = isAppError(error) ? (error.details['cause'] ?? error.code) : 'internal_error';
  const why = isError(error) ? error.message : String(error);
  return new AppError('actor_start_failed', `actor "${actor}" did not start: ${why}`, { actor, cause });
}

/** The error of a call to an actor that does not run. */
export function downError(actor: string, state: NodeState): AppError {
  if (state === 'escalated') {
    const message = `actor "${actor}" is gone: its supervisor gave up after too many restarts; start a new tree`;
    return new AppError('supervisor_escalated', message, { actor });
  }
  return new AppError('actor_down', `actor "${actor}" is ${state}: the call was not delivered`, { actor, state });
}
