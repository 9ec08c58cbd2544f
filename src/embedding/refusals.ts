import { AppError, isAppError } from '../base/index.js';

/** Refuses fields that are set. Null, false and `n` = 1 count as not set. Errors: `invalid_value`. */
export function refuseSetFields(given: object, fields: readonly string[], where: string): void {
  const request: object = { ...given };
  for (const field of fields) {
    const value: unknown = Reflect.get(request, field);
    const isNothing = value === undefined || value === null || value === false || (field === 'n' && value === 1);
    if (isNothing) continue;
    throw new AppError('invalid_value', `${field} has no place ${where}; leave it out, or use chat`, { param: field });
  }
}

/** Renames the field of an error to the caller's name: replaces `from` at its start by `to`. Others pass unchanged. */
export function renamed(error: unknown, from: RegExp, to: string): unknown {
  if (!isAppError(error)) return error;
  const { param } = error.details;
  if (typeof param !== 'string' || !from.test(param)) return error;
  const details = { ...error.details, param: param.replace(from, to) };
  return new AppError(error.code, error.message.replace(from, to), details, { cause: error });
}
