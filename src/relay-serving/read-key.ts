import { AppError } from '../base/index.js';

/** A scheme in any letters, blanks, and a token. Source: RFC 6750, 2.1; RFC 9110, 11.1. */
const BEARER = /^bearer[ \t]+([\x21-\x7e]{1,256})$/i;

/**
 * The key of a request: `Authorization: Bearer`, or `x-api-key` as Anthropic's clients send it. A key in a query is not read,
 * since logs contain queries. `kind`: how keys begin. Errors: `missing_api_key`, `invalid_api_key`.
 */
export function readKey(headers: ReadonlyMap<string, string>, kind: string): string {
  const authorization = headers.get('authorization');
  const own = headers.get('x-api-key');
  if (authorization === undefined && own === undefined) {
    const message = `the request has no key; send it as Authorization: Bearer ${kind}_...`;
    throw new AppError('missing_api_key', message);
  }
  const bearer = authorization === undefined ? own : BEARER.exec(authorization.trim())?.[1];
  if (bearer !== undefined && (own === undefined || own === bearer)) return bearer;
  const message =
    own === undefined
      ? `the Authorization header is no single Bearer token; send Authorization: Bearer ${kind}_...`
      : 'Authorization and x-api-key are not the same key; send one of them';
  throw new AppError('invalid_api_key', message);
}
