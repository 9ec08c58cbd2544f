import { AppError, describe } from '../../base/index.js';
import type { ChatCompletionRequest } from '../request-schemas.js';

/** Checks of the sampling fields beyond the schema. Errors: `invalid_value`. */
export function checkSamplingFields(request: ChatCompletionRequest): void {
  if ((request.top_logprobs ?? 0) > 0 && request.logprobs !== true) {
    const message = `top_logprobs is ${request.top_logprobs} and needs logprobs to be true; it is ${describe(request.logprobs)}`;
    throw invalid('top_logprobs', message);
  }
  for (const field of ['max_tokens', 'max_completion_tokens', 'n_predict'] as const) {
    checkTokenLimit(request[field], field);
  }
  checkLogitBias(request.logit_bias);
}

/** Errors: `invalid_value`. */
export function checkTokenLimit(limit: number | undefined, field: string): void {
  if (limit === 0) throw invalid(field, `${field} must be at least 1, or -1 for no limit; it is 0`);
}

/** Errors: `invalid_value`. */
export function checkLogitBias(logitBias: ChatCompletionRequest['logit_bias']): void {
  if (Array.isArray(logitBias)) {
    const at = logitBias.findIndex(([, bias]) => bias === true);
    if (at !== -1) throw invalid(`logit_bias[${at}][1]`, `logit_bias[${at}][1] must be a number or false; it is true`);
    return;
  }
  const wrong = Object.keys(logitBias ?? {}).find((key) => !/^\d{1,15}$/.test(key));
  if (wrong === undefined) return;
  throw invalid('logit_bias', `logit_bias must have token ids as its keys; one is ${describe(wrong, true)}`);
}

function invalid(param: string, message: string): AppError {
  return new AppError('invalid_value', message, { param });
}
