// One error type for the whole product. Each room lists its codes in its own `errors.ts`.

import { describe } from './describe.js';

/** Values that may travel beside an error: plain data, never a prompt, a key or a buffer. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/** Who can do something about an error: decides exit codes and, on a wire, status codes. */
export type Blame = 'caller' | 'operator' | 'upstream' | 'wait' | 'developer';

/** What a room declares for each of its error codes. */
export type CodeTable = Readonly<Record<string, { readonly who: Blame; readonly when: string }>>;

/** An error in a form that survives structured cloning between threads. */
export interface ErrorData {
  /** Stable, one of the documented codes. */
  readonly code: string;
  /** What failed, with which value, the limit and what to do. */
  readonly message: string;
  /** The values of the message as data. */
  readonly details: ErrorDetails;
}

/** What every AppError has, of whatever realm and whatever copy of this package. */
const BRAND = Symbol.for('troupe.AppError');

/**
 * The only error class. `code` is stable and documented, `message` says what failed,
 * with which value, the limit and what to do; `details` repeats the values as data.
 */
export class AppError extends Error {
  /** Stable, one of the documented codes. */
  readonly code: string;
  /** The values of the message as data. */
  readonly details: ErrorDetails;

  /** An error of `code`; `options.cause` is what led to it. */
  constructor(code: string, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.details = details;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Whether `error` is an AppError, also one of another realm or another copy of this package, for which `instanceof` is
 * false: test runners run each file in a realm of its own.
 */
export function isAppError(error: unknown): error is AppError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** Whether `thrown` is an error, of any realm. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]';
}

/** The `code` of what was thrown: ours, or one of the system such as ENOENT; undefined where there is none. */
export function codeOf(thrown: unknown): string | undefined {
  if (!isError(thrown) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** An error of any kind as data; unknown errors become `internal_error`. */
export function toErrorData(error: unknown): ErrorData {
  if (isAppError(error)) return { code: error.code, message: error.message, details: error.details };
  if (isError(error)) return { code: codeOf(error) ?? 'internal_error', message: error.message, details: {} };
  return { code: 'internal_error', message: String(error), details: {} };
}

/** The error that `data` describes, thrown again on this side of a thread. */
export function fromErrorData(data: ErrorData): AppError {
  return new AppError(data.code, data.message, data.details);
}

/** A value, of a request or of a caller's own, that is out of range. */
export function invalidValue(field: string, value: unknown, expected: string): AppError {
  return new AppError('invalid_value', `${field} is ${describe(value, true)}; it must be ${expected}`, { field });
}

/** Codes that no room owns. */
export const baseCodes = {
  internal_error: { who: 'developer', when: 'an assertion of our own failed' },
  invalid_value: { who: 'caller', when: 'a field of a request, or an argument of the library, is outside its limits' },
  invalid_option: { who: 'caller', when: 'an option of a call of the library is unknown, or outside its range' },
  queue_full: { who: 'wait', when: 'a bounded queue has no room for one more item' },
  deadline_exceeded: { who: 'wait', when: 'an answer did not come within its deadline' },
} as const satisfies CodeTable;
