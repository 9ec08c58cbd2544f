import { AppError } from '../../base/index.js';
import type { SupervisorSpec } from './spec.js';

/** The error of a supervisor that gives up because `child` died of `cause` once too often. */
export function escalatedError({ id, intensity, periodMs }: SupervisorSpec, child: string, cause: AppError): AppError {
  const message = `supervisor "${id}" gave up: more than ${intensity} restarts in ${periodMs} ms, the last of "${child}": ${cause.message}`;
  return new AppError('supervisor_escalated', message, { supervisor: id, actor: child, intensity, periodMs });
}

/** The error of a request to a supervisor that does not run: `is stopped`, `was stopped while it started`. */
export function haltedError(supervisor: string, what: string): AppError {
  return new AppError('actor_down', `supervisor "${supervisor}" ${what}`);
}

/** The error of a start that would exceed a supervisor's limit of children. */
export function fullError(supervisor: string, limit: number): AppError {
  const message = `supervisor "${supervisor}" has ${limit} children and may have no more; stop one first`;
  return new AppError('supervisor_full', message, { supervisor, limit });
}
