import { AppError, describe } from '../../base/index.js';
import { MAX_REQUEST_DEPTH } from '../limits.js';

/**
 * The fields of an untrusted request object. Unknown keys stay; a top-level null means absent, as SDKs of typed
 * languages write it. Errors: `invalid_type`, and `invalid_value` for nesting deeper than `MAX_REQUEST_DEPTH`.
 */
export function readRequestFields(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_type', `the request must be a JSON object, not ${describe(value)}`, { param: null });
  }
  const fields = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== undefined));
  refuseDepth(fields);
  return fields;
}

/** Walks by level, not by recursion: the input may be nested deeper than the stack. */
function refuseDepth(request: object): void {
  let level: unknown[] = [request];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_REQUEST_DEPTH) {
      throw new AppError('invalid_value', `the request is nested deeper than ${MAX_REQUEST_DEPTH} levels`, {
        param: null,
      });
    }
    level = level.filter((item) => typeof item === 'object' && item !== null).flatMap((item) => Object.values(item));
  }
}
