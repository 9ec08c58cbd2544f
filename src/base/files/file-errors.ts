// Errors of the file system as errors of ours.
import { AppError, hasErrorCode } from '../errors.js';

/** A code of ours and the reason of the system's refusal. */
type Refusal = readonly [code: string, reason: string];

/** By the system's error codes (POSIX errno), and by Node's code for a missing permission. */
const refusals: Readonly<Record<string, Refusal>> = {
  EACCES: ['access_denied', 'permission is denied'],
  EPERM: ['access_denied', 'the operation is not permitted'],
  EROFS: ['access_denied', 'the file system is read-only'],
  ERR_ACCESS_DENIED: [
    'access_denied',
    "Node's permission model does not allow it: see --allow-fs-read and --allow-fs-write",
  ],
  ENOSPC: ['disk_full', 'no space is left on the device'],
  EDQUOT: ['disk_full', 'the disk quota is used up'],
  EFBIG: ['disk_full', 'the file is larger than the file system, or a limit of the process, allows'],
  EMFILE: ['too_many_open_files', 'this process has as many files open as it may'],
  ENFILE: ['too_many_open_files', 'the system has as many files open as it may'],
  ENOENT: ['path_invalid', 'a part of the path is not there'],
  ENOTDIR: ['path_invalid', 'a file is where a directory should be'],
  EEXIST: ['path_invalid', 'a file is where a directory should be'],
  EISDIR: ['path_invalid', 'it is a directory'],
  ELOOP: ['path_invalid', 'its links lead back to themselves, or there are too many'],
  ENAMETOOLONG: ['path_invalid', 'the name is too long'],
  EIO: ['io_failed', 'the device failed'],
};

const advice: Readonly<Record<string, string>> = {
  access_denied: 'give this user access, or choose another place',
  disk_full: 'make room there, or choose another place',
  too_many_open_files: 'raise the limit (ulimit -n), or load fewer models',
  path_invalid: 'choose another path',
};

/** The reason of the system's refusal, in a few words. */
export function fileErrorReason(error: unknown): string {
  return refusalOf(error)?.[1] ?? 'the system gave no reason';
}

/** How much of a file was written when the system refused more. */
export interface WrittenBytes {
  readonly doneBytes: number;
  /** Undefined when the total is not known beforehand. */
  readonly totalBytes?: number | undefined;
}

/**
 * An error of the file system as one of ours, naming `path`; any other error unchanged. Codes: `access_denied`,
 * `disk_full`, `too_many_open_files`, `path_invalid`, `io_failed`.
 */
export function toFileError(error: unknown, action: 'read' | 'write', path: string, written?: WrittenBytes): unknown {
  const refusal = refusalOf(error);
  if (refusal === undefined) return error;
  const [code, reason] = refusal;
  const { doneBytes, totalBytes } = written ?? {};
  const total = totalBytes === undefined ? '' : ` of ${totalBytes}`;
  const bytes = doneBytes === undefined ? '' : ` after ${doneBytes}${total} bytes`;
  const help = advice[code] === undefined ? '' : `; ${advice[code]}`;
  return new AppError(
    code,
    `${path} cannot be ${action === 'read' ? 'read' : 'written'}: ${reason}${bytes}${help}`,
    { path, ...(doneBytes !== undefined && { doneBytes }), ...(totalBytes !== undefined && { totalBytes }) },
    { cause: error },
  );
}

/** For `.catch` of a file system call: throws the error of `toFileError`. */
export function throwFileError(action: 'read' | 'write', path: string): (error: unknown) => never {
  return (error) => {
    throw toFileError(error, action, path);
  };
}

function refusalOf(error: unknown): Refusal | undefined {
  for (const [name, refusal] of Object.entries(refusals)) if (hasErrorCode(error, name)) return refusal;
  // Any other error of a system call: ESTALE of a network's file system, EBUSY, UNKNOWN on Windows.
  const isSystem = typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;
  return isSystem ? ['io_failed', `the system says ${String(error.code)}`] : undefined;
}
