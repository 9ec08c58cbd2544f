import { AppError, findJsonToken, parseStrictJson, type JsonLimits, type JsonPosition } from '../../base/index.js';
import { MAX_BODY_NODES, MAX_BODY_VALUES, MAX_REQUEST_DEPTH } from '../limits.js';

/** `__proto__` is a name like any other: objects are copied by spread and entries, never by assignment. */
const limits: JsonLimits = {
  maxDepth: MAX_REQUEST_DEPTH,
  maxItems: MAX_BODY_VALUES,
  maxNodes: MAX_BODY_NODES,
  keepsOrder: true,
};

/** U+FEFF in UTF-8. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * The JSON of a request's body: one value in UTF-8, of any shape. Errors: `json_parse_error` for everything that is
 * wrong with it as JSON, also where JSON.parse would be silent. The message quotes nothing of the body. A leading byte
 * order mark is skipped (RFC 8259, 8.1).
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  const hasMark = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte);
  const json = hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  if (json.length === 0) throw emptyBody();
  const value = parseStrictJson(json, limits, unreadable);
  return keepDigitsOfSeed(value, json);
}

/** An error apart from that of bad JSON: some APIs have their own message for it. */
function emptyBody(): AppError {
  const message = 'the request body is empty; send a JSON object';
  return new AppError('json_parse_error', message, { param: null, isEmpty: true });
}

function unreadable(why: string, place?: JsonPosition): AppError {
  return new AppError('json_parse_error', `the request body ${why}`, { param: place?.path ?? null });
}

/** Keeps a seed of 64 bits as the digits in the body, since JSON.parse rounds numbers beyond 2^53. */
function keepDigitsOfSeed(value: unknown, json: Uint8Array): unknown {
  if (typeof value !== 'object' || value === null || !('seed' in value)) return value;
  const { seed } = value;
  if (typeof seed !== 'number' || Number.isSafeInteger(seed)) return value;
  const text = new TextDecoder().decode(json);
  const token = findJsonToken(text, ({ kind, path }) => kind === 'scalar' && path.length === 1 && path[0] === 'seed');
  const digits = token === undefined ? '' : text.slice(token.start, token.end);
  return /^-?\d+$/.test(digits) ? { ...value, seed: digits } : value;
}
