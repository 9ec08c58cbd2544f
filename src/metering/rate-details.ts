import { AppError, isAppError, type ErrorDetails } from '../base/index.js';
import type { RateLimitState, RateState } from './meter.js';

const SIDES = ['requests', 'tokens'] as const;

/** The limits a minute of a key as details of an error: a refusal states them as an answer does. */
export function toRateDetails(state: RateState): ErrorDetails {
  return Object.fromEntries(
    SIDES.flatMap((side) => {
      const rate = state[side];
      if (rate === undefined) return [];
      return [
        [`${side}Limit`, rate.limit],
        [`${side}Remaining`, rate.remaining],
        [`${side}ResetMs`, rate.resetMs],
      ];
    }),
  );
}

/** An `AppError` with the rest of the key's limits in its details; any other error unchanged. */
export function withRates(error: unknown, rates: RateState): unknown {
  if (!isAppError(error)) return error;
  const { code, message, details } = error;
  return new AppError(code, message, { ...details, ...toRateDetails(rates) }, { cause: error });
}

/** Reads the details that `toRateDetails` wrote. */
export function toRateState(details: ErrorDetails): RateState {
  const rateOf = (side: (typeof SIDES)[number]): RateLimitState | undefined => {
    const [limit, remaining, resetMs] = ['Limit', 'Remaining', 'ResetMs'].map((name) => details[side + name]);
    if (typeof limit !== 'number' || typeof remaining !== 'number' || typeof resetMs !== 'number') return undefined;
    return { limit, remaining, resetMs };
  };
  const [requests, tokens] = SIDES.map(rateOf);
  return { ...(requests !== undefined && { requests }), ...(tokens !== undefined && { tokens }) };
}
