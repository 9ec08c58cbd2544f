// What callers of an engine are told of its deaths.
import { AppError } from '../../base/index.js';

/** It showed no sign of life. */
export function engineHung(silentMs: number): AppError {
  const message = `the engine gave no sign of life for ${Math.round(silentMs)} ms, and was ended`;
  return new AppError('engine_hung', message, { silentMs });
}

/** It died of one request, `deaths` times, the last time of `cause`. */
export function requestPoisonous(deaths: number, cause: AppError): AppError {
  const message =
    `the engine died ${deaths} times while it computed this request, the last time with no other beside it, and will not ` +
    `compute it again (${cause.code}); other requests go on. Please report it with the prompt, if it may be told`;
  return new AppError('request_poisonous', message, { deaths, cause: cause.code });
}

/** `forward` was asked for more logits than a copy between threads should carry. */
export function tooManyLogits(numTokens: number, limit: number): AppError {
  const message = `forward takes at most ${limit} tokens of this model, not ${numTokens}`;
  return new AppError('invalid_value', message, { limit });
}
