import { AppError } from './errors.js';

/** Throws `internal_error` when our own reasoning was wrong; never for bad input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AppError('internal_error', `assertion failed: ${message}`);
}

/** `value`, or `internal_error` when it is missing. For indices known to be in range. */
export function present<T>(value: T | undefined | null, message: string): T {
  assert(value !== undefined && value !== null, message);
  return value;
}
