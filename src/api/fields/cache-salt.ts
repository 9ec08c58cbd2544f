import { Type } from '../../schema/index.js';
import { MAX_CACHE_SALT } from '../limits.js';

/**
 * Whose cached prefixes a request may use and add to: those of the requests with the same salt; without one, those of all
 * that have none. Source: vLLM's `cache_salt`.
 */
export const CacheSalt = Type.String({ minLength: 1, maxLength: MAX_CACHE_SALT });
