import { AppError, present } from '../../base/index.js';
import type { HeadCall } from '../../endpoint/index.js';
import { hasLimits } from './check-key.js';
import type { GatewayContext, GatewayRecord } from './gateway-route.js';

/** A scheme in any letters, blanks, and a token. Source: RFC 6750, 2.1; RFC 9110, 11.1. */
const BEARER = /^bearer[ \t]+([\x21-\x7e]{1,256})$/i;

/**
 * The key of a request: `Authorization: Bearer`, or `x-api-key` as Anthropic's clients send it. One in a query is not read,
 * since queries stand in logs. Errors: `missing_api_key`, `invalid_api_key`.
 */
export function readKey(headers: ReadonlyMap<string, string>): string {
  const authorization = headers.get('authorization');
  const own = headers.get('x-api-key');
  if (authorization === undefined && own === undefined) {
    throw new AppError('missing_api_key', 'the request has no key; send it as Authorization: Bearer gwk_...');
  }
  const bearer = authorization === undefined ? own : BEARER.exec(authorization.trim())?.[1];
  if (bearer !== undefined && (own === undefined || own === bearer)) return bearer;
  const message =
    own === undefined
      ? 'the Authorization header is no single Bearer token; send Authorization: Bearer gwk_...'
      : 'Authorization and x-api-key are not the same key; send one of them';
  throw new AppError('invalid_api_key', message);
}

/** Finds out whose request it is, before a byte of its body. Errors: those of `readKey` and of the meter. */
export function authenticate({ request, context, record }: HeadCall<GatewayContext, GatewayRecord>): void {
  record.key = context.meter.authenticate(readKey(request.headers));
}

/** The same for a request that costs something, whose key must have something left. Errors: also those of `checkKey`. */
export function authenticatePaid(call: HeadCall<GatewayContext, GatewayRecord>): void | Promise<void> {
  authenticate(call);
  const { record, context } = call;
  const { id, limits } = present(record.key, 'it was authenticated');
  return hasLimits(limits) ? context.desk.check(id, limits.parallelRequests) : undefined;
}
