// What the system says of a path, in words.
import { hasErrorCode } from './errors.js';

/** Why the system refused a path, by the names of its error codes (POSIX errno). */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than the file system, or a limit of the process, allows',
  EMFILE: 'the process has as many files open as it may',
  ENFILE: 'the system has as many files open as it may',
  ENOENT: 'it is not there',
  ENOTDIR: 'a part of the path is a file and not a directory',
  EEXIST: 'something else is there',
  EISDIR: 'it is a directory',
  ELOOP: 'it is a link that leads to itself, or to too many others',
  ENAMETOOLONG: 'the name is too long',
  EIO: 'the device failed',
};

/** Why the system refused a path, in a few words. */
export function fileErrorReason(error: unknown): string {
  const known = Object.keys(reasons).find((code) => hasErrorCode(error, code));
  if (known !== undefined) return reasons[known] ?? known;
  return error instanceof Error && 'code' in error ? String(error.code) : 'of an unknown reason';
}
