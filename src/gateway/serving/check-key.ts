import { AppError } from '../../base/index.js';
import { withRates, type KeyLimits, type Meter, type RateState } from '../../metering/index.js';

/** How soon a request under way may end, ms: a usual pause. */
const PARALLEL_RETRY_MS = 1_000;

/**
 * Refuses a request by the limits of its key before a byte of its body is read: one that no body could make admissible. The
 * limits are held by `admit`, in one step; this only spares the work. Errors: `rate_limit_exceeded`, `budget_exceeded`.
 */
export function checkKey(id: string, parallelRequests: number | undefined, meter: Meter): void {
  const rates = meter.limitState(id);
  try {
    checkLimits(id, parallelRequests, rates, meter);
  } catch (error) {
    throw withRates(error, rates);
  }
}

function checkLimits(id: string, parallelRequests: number | undefined, { requests }: RateState, meter: Meter): void {
  if (requests !== undefined && requests.remaining < 1) {
    const message = `this key may send ${requests.limit} requests a minute; try again later`;
    throw tooMany(message, 'requests_per_minute', requests.limit, requests.resetMs / requests.limit);
  }
  const { runningRequests, budgets } = meter.usageOf(id);
  if (parallelRequests !== undefined && runningRequests >= parallelRequests) {
    const message = `this key has ${runningRequests} running requests, which is its limit; wait until one ends`;
    throw tooMany(message, 'parallel_requests', parallelRequests, PARALLEL_RETRY_MS);
  }
  const full = budgets.find(({ used, limit }) => used >= limit);
  if (full === undefined) return;
  const resetsAtMs = full.resetsAtMs ?? null;
  const again =
    resetsAtMs === null ? 'it does not fill again' : `it is full again at ${new Date(resetsAtMs).toISOString()}`;
  throw new AppError('budget_exceeded', `the budget of this key (${full.window}) is used; ${again}`, {
    limit: `budget_${full.window}`,
    resetsAtMs,
  });
}

/** Whether a key has a limit that can be known to be used up before a request is read. */
export function hasLimits({ requestsPerMinute, parallelRequests, budgets }: KeyLimits): boolean {
  return requestsPerMinute !== undefined || parallelRequests !== undefined || budgets.length > 0;
}

function tooMany(message: string, limit: string, value: number, retryAfterMs: number): AppError {
  return new AppError('rate_limit_exceeded', message, { limit, value, retryAfterMs: Math.ceil(retryAfterMs) });
}
