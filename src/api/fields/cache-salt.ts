import { Type } from '../../schema/index.js';
import { MAX_CACHE_SALT } from '../limits.js';

/**
 * Scope of the prefix cache: a request uses and adds to the prefixes of requests with the same salt. Requests without a
 * salt share theirs. Source: vLLM's `cache_salt`.
 */
export const CacheSalt = Type.String({ minLength: 1, maxLength: MAX_CACHE_SALT });
