import { AppError } from '../../base/index.js';
import { toRateDetails, type RateState } from '../../metering/index.js';
import type { RateLimitRequest } from './rate-limits.js';

const NAMES = {
  parallel_requests: ['parallelRequests', 'requests at a time'],
  requests_per_minute: ['requestsPerMinute', 'requests a minute'],
  tokens_per_minute: ['tokensPerMinute', 'tokens a minute'],
} as const;

/** A limit of a key that has no room. `retryAfterMs` undefined: the request has more tokens than a minute may ever have. */
export function overLimit(
  limit: keyof typeof NAMES,
  limits: RateLimitRequest['limits'],
  retryAfterMs: number | undefined,
  rates: RateState,
): AppError {
  const [field, words] = NAMES[limit];
  const value = limits[field] ?? 0;
  const again =
    retryAfterMs === undefined
      ? 'this request reserves more; send a shorter prompt, or a lower max_tokens'
      : `try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`;
  const details = { limit, value, ...(retryAfterMs !== undefined && { retryAfterMs }), ...toRateDetails(rates) };
  return new AppError('rate_limit_exceeded', `this key may have ${value} ${words}; ${again}`, details);
}
