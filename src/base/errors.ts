// One error type for the whole product. Each module lists its codes in its own `errors.ts`.

import { describe } from './describe.js';
import type { CodeTable } from './error-codes.js';

/** Values that may accompany an error: plain data, never a prompt, a key or a buffer. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/** An error in a form that survives structured cloning between threads. */
export interface ErrorData {
  /** Stable, one of the documented codes. */
  readonly code: string;
  /** The failure, its value, the limit, and what to do. */
  readonly message: string;
  /** The values of the message as data. */
  readonly details: ErrorDetails;
}

/** Marks every AppError, of any realm and of any copy of this package. */
const BRAND = Symbol.for('troupe.AppError');

/**
 * The only error class. `code` is stable and documented. `message` gives the failure, its value, the limit and what to
 * do; `details` repeats the values as data.
 */
export class AppError extends Error {
  /** Stable, one of the documented codes. */
  readonly code: string;
  /** The values of the message as data. */
  readonly details: ErrorDetails;

  /** An error with `code`; `options.cause` is the original error. */
  constructor(code: string, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.details = details;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Whether `error` is an AppError, also of another realm or another copy of this package, where `instanceof` is false.
 * Test runners run each file in a realm of its own.
 */
export function isAppError(error: unknown): error is AppError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** Whether `thrown` is an error, of any realm. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]';
}

/** The `code` of an exception: ours, or one of the system such as ENOENT; undefined without one. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** An error of any kind as data. A failed allocation is `out_of_memory`; unknown errors become `internal_error`. */
export function toErrorData(thrown: unknown): ErrorData {
  const error = toMemoryError(thrown);
  if (isAppError(error)) return { code: error.code, message: error.message, details: error.details };
  if (isError(error)) return { code: codeOf(error) ?? 'internal_error', message: error.message, details: {} };
  return { code: 'internal_error', message: String(error), details: {} };
}

/** Messages of V8 and Node for a failed allocation, in errors of several kinds. */
const MEMORY_FAILURES =
  /Array buffer allocation failed|could not allocate memory|Cannot allocate|Out of memory|Failed to allocate memory|not enough memory/i;
/** The last one: no memory for a thread's stack, or no more threads. */
const MEMORY_CODES: readonly string[] = ['ENOMEM', 'ERR_MEMORY_ALLOCATION_FAILED', 'ERR_WORKER_INIT_FAILED'];

/** `out_of_memory` for an error of V8 or Node about missing memory; any other error unchanged. */
export function toMemoryError(error: unknown): unknown {
  if (!isError(error) || isAppError(error)) return error;
  const isCode = 'code' in error && typeof error.code === 'string' && MEMORY_CODES.includes(error.code);
  if (!isCode && !(error.name === 'RangeError' && MEMORY_FAILURES.test(error.message))) return error;
  const message = `the system has no memory to give (${error.message}); free some, load a smaller model or context, or raise the limit of the process`;
  return new AppError('out_of_memory', message, {}, { cause: error });
}

/** The error of `data`, to be thrown on this side of a thread. */
export function fromErrorData(data: ErrorData): AppError {
  return new AppError(data.code, data.message, data.details);
}

/** Whether the system refused a call with one of `codes`, such as ENOENT. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(error) ?? '');
}

/** The error for a value out of range, of a request or of a caller. */
export function invalidValue(field: string, value: unknown, expected: string): AppError {
  return new AppError('invalid_value', `${field} is ${describe(value, true)}; it must be ${expected}`, { field });
}

/** Codes that no module owns. */
export const baseCodes = {
  internal_error: { who: 'developer', kind: 'internal', when: 'an assertion of our own failed' },
  invalid_value: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a field of a request, or an argument of the library, is outside its limits',
  },
  access_denied: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the system does not let this user read or write a path',
  },
  disk_full: {
    who: 'operator',
    kind: 'resource_exhausted',
    when: 'a disk or a quota has no room for what must be written',
  },
  too_many_open_files: {
    who: 'operator',
    kind: 'resource_exhausted',
    when: 'this process, or the system, may open no more files',
  },
  path_invalid: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a path leads nowhere: a file is in the way, a link turns in a circle',
  },
  io_failed: { who: 'operator', kind: 'failed_precondition', when: 'the system failed to read or write a path' },
  cache_unwritable: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'no directory can be written in which to keep what can be made again',
  },
  package_not_found: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the files of this package are not found from a program that took it into a bundle',
  },
  out_of_memory: {
    who: 'operator',
    kind: 'resource_exhausted',
    when: 'a model does not fit in its memory, or the system has no memory to give',
  },
  invalid_option: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'an option of a call of the library is unknown, or outside its range',
  },
  queue_full: { who: 'wait', kind: 'unavailable', when: 'a bounded queue has no room for one more item' },
  deadline_exceeded: { who: 'wait', kind: 'deadline_exceeded', when: 'an answer did not come within its deadline' },
} as const satisfies CodeTable;
