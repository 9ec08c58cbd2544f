import { invalidValue } from '../../base/index.js';
import { MAX_METERED_CHOICES, MAX_REQUEST_TOKENS } from '../limits.js';
import type { AdmitRequest, Outcome } from './hold-record.js';

/** Errors: `invalid_value` for numbers that no request has. */
export function checkAdmitRequest({
  requestId,
  model,
  promptTokensBound,
  outputTokensBound,
  choices,
}: AdmitRequest): void {
  for (const [name, text] of Object.entries({ requestId, model })) {
    if (!/^[^\0]{1,512}$/s.test(text)) throw invalidValue(name, text.length, 'text of 1 to 512 characters');
  }
  checkWhole('promptTokensBound', promptTokensBound, 0, MAX_REQUEST_TOKENS);
  if (outputTokensBound !== undefined) checkWhole('outputTokensBound', outputTokensBound, 0, MAX_REQUEST_TOKENS);
  checkWhole('choices', choices, 1, MAX_METERED_CHOICES);
}

/**
 * Counts come from runtimes: an invalid count is 0, and an impossible one is cut. A request that failed at once used
 * nothing.
 */
export function toOutcome(outcome: Outcome): Omit<Outcome, 'began'> {
  const promptTokens = toCount(outcome.promptTokens);
  const completionTokens = toCount(outcome.completionTokens);
  if (!outcome.began && completionTokens === 0) {
    return { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0, isEstimated: false };
  }
  return {
    promptTokens,
    completionTokens,
    cachedTokens: Math.min(toCount(outcome.cachedTokens), promptTokens),
    reasoningTokens: Math.min(toCount(outcome.reasoningTokens), completionTokens),
    isEstimated: outcome.isEstimated,
  };
}

/** A count of a runtime: a whole number from 0 to the most that one request can have. */
export function toCount(value: number): number {
  return value > 0 ? Math.min(Math.floor(value), MAX_REQUEST_TOKENS) : 0;
}

function checkWhole(field: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw invalidValue(field, value, `a whole number from ${least} to ${most}`);
}
