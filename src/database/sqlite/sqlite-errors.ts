import { AppError, describe, isAppError, isError } from '../../base/index.js';

/** SQLite's message for a broken constraint; triggers name ours in their texts. */
const CONSTRAINT = /constraint failed(?:: (.+))?/;
/** Errors that waiting, or an operator, mends. Source: the texts of sqlite3ErrStr in SQLite's main.c. */
const UNAVAILABLE = /disk is full|disk I\/O error|readonly database|unable to open database file|database is locked/;
const DAMAGED = /malformed|not a database/;

/** An error of a statement as one of ours; any other, such as a mistake in the SQL, as it is. */
export function toStatementError(error: unknown, path: string): unknown {
  if (isAppError(error) || !isError(error)) return error;
  const reason = error.message;
  const constraint = CONSTRAINT.exec(reason);
  if (constraint !== null) {
    const details = { constraint: constraint[1] ?? '' };
    return new AppError('database_conflict', `a statement breaks a constraint: ${reason}`, details, { cause: error });
  }
  if (UNAVAILABLE.test(reason)) {
    const message = `${path} cannot be used now: ${reason}; make room on the disk, or let this user write there`;
    return new AppError('database_unavailable', message, { path, reason }, { cause: error });
  }
  return DAMAGED.test(reason) ? damaged(path, reason, error) : error;
}

/** Turns an error at opening into one that the operator can act on. */
export function toOpenError(error: unknown, path: string): unknown {
  if (isAppError(error) || !isError(error)) return error;
  if (/database is locked/.test(error.message)) return inUse(path, undefined, error);
  return damaged(path, error.message, error);
}

/** The error for a file that another process has open. */
export function inUse(path: string, pid: number | undefined, cause?: unknown): AppError {
  const owner = pid === undefined ? 'another process' : `process ${pid}`;
  const message = `${path} is open in ${owner}; stop that, ask it, or choose another data directory`;
  return new AppError('database_in_use', message, { path, ...(pid !== undefined && { pid }) }, { cause });
}

function damaged(path: string, reason: string, cause: unknown): AppError {
  const message = `${path} cannot be used: ${describe(reason)}; put it aside, or put a backup in its place`;
  return new AppError('database_invalid', message, { path }, { cause });
}
