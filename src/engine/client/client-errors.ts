// Errors of an engine's deaths, for its callers.
import { AppError } from '../../base/index.js';

/** The engine showed no sign of life. */
export function engineHung(silentMs: number): AppError {
  const message = `the engine gave no sign of life for ${Math.round(silentMs)} ms, and was ended`;
  return new AppError('engine_hung', message, { silentMs });
}

/** The engine died of one request `deaths` times, the last time with `cause`. */
export function requestPoisonous(deaths: number, cause: AppError): AppError {
  const message =
    `the engine died ${deaths} times while it computed this request, the last time with no other beside it, and will not ` +
    `compute it again (${cause.code}); other requests go on. Please report it with the prompt, if it may be told`;
  return new AppError('request_poisonous', message, { deaths, cause: cause.code });
}

/** A `forward` call asked for more logits than one copy between threads may have. */
export function tooManyLogits(numTokens: number, limit: number): AppError {
  const message = `forward takes at most ${limit} tokens of this model, not ${numTokens}`;
  return new AppError('invalid_value', message, { limit });
}
