import { AppError, codeOf, isAppError, isError } from '../../base/index.js';

/** Classes of SQLSTATE that waiting, or an operator, mends. Source: PostgreSQL, appendix A, error codes. */
const UNAVAILABLE = /^(?:08|28|3D000|42501|53|57P0|58|25006|57014|55P03|XX00)/;
const CONSTRAINT = /^23/;
/** At the start these are mistakes of the operator. */
const REFUSED = /^(?:28|3D000|42501)/;
/** Serialization failure and deadlock: the whole transaction is tried again. */
const AGAIN = new Set(['40001', '40P01']);
/** No class of SQLSTATE begins with E, as codes of the system do: EPIPE has five letters, too. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;
/** Errors of the socket, the resolver and pg itself, which have no SQLSTATE. */
const CONNECTION =
  /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT)|timeout|Connection terminated|connection error|was closed|not queryable|ended|socket/i;

/** Whether the transaction is to be tried again. */
export function isToRepeat(error: unknown): boolean {
  return AGAIN.has(codeOf(error) ?? '');
}

/** An error of pg as one of ours; any other, such as a mistake in the SQL, as it is. */
export function toStatementError(error: unknown, place: string): unknown {
  if (isAppError(error) || !isError(error)) return error;
  const code = codeOf(error) ?? '';
  const reason = error.message;
  if (CONSTRAINT.test(code)) {
    const constraint = 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : '';
    const message = `a statement breaks a constraint: ${reason}`;
    return new AppError('database_conflict', message, { constraint }, { cause: error });
  }
  const isAway =
    UNAVAILABLE.test(code) || AGAIN.has(code) || (!SQLSTATE.test(code) && CONNECTION.test(`${code} ${reason}`));
  if (!isAway) return error;
  const message = `${place} does not answer (${reason === '' ? code : reason}); try again, or look after the database`;
  return new AppError(
    'database_unavailable',
    message,
    { place, reason: reason === '' ? code : reason },
    { cause: error },
  );
}

/** An error of the first statement: failures that waiting does not mend become `database_refused`. */
export function toOpenError(error: unknown, place: string): unknown {
  const cause = isAppError(error) ? error.cause : error;
  if (!isError(cause) || !REFUSED.test(codeOf(cause) ?? '')) return error;
  const { message: reason } = cause;
  const message = `${place} refuses: ${reason}; check the user, the password and the name of the database`;
  return new AppError('database_refused', message, { place, reason }, { cause });
}
