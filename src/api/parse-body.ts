import { AppError, parseStrictJson, type JsonLimits } from '../base/index.js';
import { MAX_BODY_NODES, MAX_BODY_VALUES, MAX_DEPTH } from './limits.js';

/** `__proto__` becomes the prototype where an object is copied by assignment; no field and no schema is called so. */
const limits: JsonLimits = {
  maxDepth: MAX_DEPTH,
  maxItems: MAX_BODY_VALUES,
  maxNodes: MAX_BODY_NODES,
  forbiddenKeys: ['__proto__'],
};

/**
 * The JSON of a request's body: one value in UTF-8, whose shape others check. Errors: `json_parse_error` for everything that
 * is wrong with it as JSON, also where JSON.parse would be silent; its message quotes nothing of the body.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw unreadable('is empty; send a JSON object');
  return parseStrictJson(bytes, limits, unreadable);
}

function unreadable(why: string): AppError {
  return new AppError('json_parse_error', `the request body ${why}`, { param: null });
}
