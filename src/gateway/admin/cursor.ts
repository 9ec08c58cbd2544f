// Cursors: where a page of a list ended, as a text that clients hand back and do not read.
import { AppError } from '../../base/index.js';

/** One value of a cursor. */
type Part = string | number | null;

/** The cursor of these values. */
export function toCursor(parts: readonly Part[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * The values of a cursor from a client, as many and of such types as `like`. Errors: `invalid_value` for a cursor that
 * no answer contained.
 */
export function readCursor<T extends readonly Part[]>(cursor: string | undefined, like: T): T | undefined {
  if (cursor === undefined) return undefined;
  const value = parse(cursor);
  if (isLike(value, like)) return value;
  throw new AppError('invalid_value', 'cursor is none that an answer had; begin with the first page', {
    param: 'cursor',
  });
}

/** Undefined: not JSON. */
function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
  } catch {
    return undefined;
  }
}

function isLike<T extends readonly Part[]>(value: unknown, like: T): value is T {
  const isPart = (part: unknown, i: number): boolean =>
    typeof part === typeof like[i] && (typeof part !== 'number' || Number.isFinite(part));
  return Array.isArray(value) && value.length === like.length && value.every(isPart);
}
