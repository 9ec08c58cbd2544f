import { createHash } from 'node:crypto';
import { AppError } from '../../base/index.js';

/** Longest salt, in UTF-16 units: the wire's limit. */
const MAX_SALT_LENGTH = 256;
/** SHA-256 in base64url. */
const SCOPE = /^[\w-]{43}$/;

/**
 * The scope of a cache salt: its SHA-256. So neither the engine's thread nor the cache has the salt itself, which may
 * be a user's key. Blocks of one scope are never shared with another. Errors: `invalid_value`.
 */
export function toCacheScope(salt: string): string {
  if (typeof salt !== 'string' || salt === '' || salt.length > MAX_SALT_LENGTH) {
    const message = `cacheSalt must be a string of 1 to ${MAX_SALT_LENGTH} characters`;
    throw new AppError('invalid_value', message, { field: 'cacheSalt' });
  }
  // By UTF-16 units, since UTF-8 encodes every half of a pair as the same character.
  return createHash('sha256').update('cache salt').update(salt, 'utf16le').digest('base64url');
}

/** Checks the form of a scope. Errors: `invalid_value`. */
export function checkCacheScope(scope: string | undefined): void {
  if (scope === undefined || (typeof scope === 'string' && SCOPE.test(scope))) return;
  throw new AppError('invalid_value', 'cacheScope must be what toCacheScope gives', { field: 'cacheScope' });
}
