import { createFieldsCheck, readRequestFields } from '../../api/index.js';
import { AppError } from '../../base/index.js';
import { TextCompletionRequest } from '../request-schemas.js';
import { checkLogitBias } from './check-sampling-fields.js';
import { readFormat } from './read-format.js';
import { readSeed, spellSeed } from './seed.js';
import { refuseUnsupportedFields } from './unsupported-fields.js';

const check = createFieldsCheck(TextCompletionRequest);

/**
 * A text-completions request from untrusted JSON. Unknown keys stay; top-level nulls are dropped. Errors, with
 * `details.param` naming the path: `missing_required_parameter`, `invalid_type`, `invalid_value`, `unsupported_parameter`.
 */
export function parseTextCompletionRequest(value: unknown): TextCompletionRequest {
  const fields = spellSeed(readRequestFields(value));
  refuseUnsupportedFields(fields);
  const request = check(fields);
  const { n = 1, best_of: bestOf = n, suffix = '', echo = false, logprobs, max_tokens: maxTokens } = request;
  if (suffix !== '') throw unsupported('suffix', 'suffix is not supported; leave it out of the request');
  if (bestOf < n) throw invalid('best_of', `best_of must be at least n, which is ${n}; it is ${bestOf}`);
  if (bestOf > n)
    throw unsupported('best_of', `best_of is ${bestOf} and n is ${n}; no more choices are made than given`);
  if (echo && logprobs !== undefined) throw unsupported('echo', 'echo with logprobs is not supported; leave one out');
  if (maxTokens === 0 && !echo)
    throw invalid('max_tokens', 'max_tokens must be at least 1 without echo, or -1 for no limit; it is 0');
  readFormat(request);
  checkLogitBias(request.logit_bias);
  readSeed(request.seed);
  return request;
}

function invalid(param: string, message: string): AppError {
  return new AppError('invalid_value', message, { param });
}

function unsupported(param: string, message: string): AppError {
  return new AppError('unsupported_parameter', message, { param });
}
