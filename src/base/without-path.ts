import { posix, win32 } from 'node:path';
import type { ErrorData } from './errors.js';

/** A drive or a share of Windows, or the root of another system. */
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;

/**
 * An error as clients over a network are told of it: of the file that it is about (`details.path`) they learn the name, and
 * not where the server has it.
 */
export function withoutPath(error: ErrorData): ErrorData {
  const { path } = error.details;
  if (typeof path !== 'string' || !ABSOLUTE.test(path)) return error;
  const name = path.startsWith('/') ? posix.basename(path) : win32.basename(path);
  const { path: _, ...details } = error.details;
  return { ...error, message: error.message.replaceAll(path, name || 'a directory'), details };
}
