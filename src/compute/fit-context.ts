import type { PlanRequest } from './device.js';

/** Lower bound of a context's KV cache before the context is shortened, whatever the budget: 1 GiB. */
const LEAST_SHARE_BYTES = 2 ** 30;
/** The part of the memory budget that one context may take: other models, and the weights, need the rest. */
const SHARE_OF_BUDGET = 1 / 4;
/** A shortened context is a multiple of this: whole blocks of the cache, and a number that a user can read and type. */
const STEP_TOKENS = 1024;

/**
 * Tokens of the longest sequence: the requested number. If it may be shortened: the largest whose cache fits in a share
 * of `maxBytes`, and whose whole model, by `bytesOf`, fits in all of it. Never less than `leastContext`, even if that
 * takes more.
 */
export function fitContext(
  { contextLength, leastContext = contextLength, maxBytes = Infinity }: PlanRequest,
  kvBytesPerToken: number,
  bytesOf: (contextLength: number) => number,
): number {
  if (leastContext >= contextLength) return contextLength;
  const shareBytes =
    maxBytes === Infinity ? LEAST_SHARE_BYTES : Math.max(LEAST_SHARE_BYTES, maxBytes * SHARE_OF_BUDGET);
  const shared = Math.floor(shareBytes / kvBytesPerToken);
  const most = shared >= contextLength ? contextLength : Math.max(leastContext, toStep(shared));
  const fits = (tokens: number): boolean => bytesOf(tokens) <= maxBytes;
  if (most <= leastContext || fits(most)) return most;
  let [low, high] = [leastContext, most];
  // Halved, not computed: caches are aligned and spread over segments.
  while (high - low > STEP_TOKENS) {
    const middle = toStep((low + high) / 2);
    if (middle <= low) break;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function toStep(tokens: number): number {
  return Math.floor(tokens / STEP_TOKENS) * STEP_TOKENS;
}
