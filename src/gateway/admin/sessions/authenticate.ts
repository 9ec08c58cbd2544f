import { AppError } from '../../../base/index.js';
import type { HeadCall } from '../../../endpoint/index.js';
import type { HttpHead } from '../../../http/index.js';
import type { AdminContext } from '../admin-context.js';
import type { AdminRecord } from '../admin-route.js';
import { readCookie } from './cookie.js';
import { isSameText } from './sessions.js';

/** Methods that change nothing. Source: RFC 9110, 9.2.1. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** A page marks its background requests with this header: they do not keep its session alive. */
const BACKGROUND = 'x-background';
const BEARER = /^bearer[ \t]+([\x21-\x7e]{1,256})$/i;
const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;

/**
 * Identifies the sender of a request before a byte of its body: a script by the admin token, or a page by its session
 * cookie together with its csrf token. Errors: `admin_token_invalid`, `sign_in_limited`, `session_invalid`,
 * `csrf_refused`, those of `checkPageRequest`.
 */
export function authenticate({ request, context, record }: HeadCall<AdminContext, AdminRecord>): void {
  const authorization = request.headers.get('authorization');
  if (authorization !== undefined) {
    checkBearer(authorization, context);
    record.by = { kind: 'admin', id: 'token', address: request.client };
    return;
  }
  checkPageRequest(request);
  // A session lasts no longer than the token that it was begun with.
  context.meter.adminToken.look();
  const secret = readCookie(request.headers.get('cookie'), context.port()) ?? '';
  const session = context.sessions.find(secret, !request.headers.has(BACKGROUND));
  if (session === undefined) {
    const message =
      'no session is open, or it has ended; sign in with the admin token, or send it as Authorization: Bearer gwa_...';
    throw new AppError('session_invalid', message);
  }
  if (!isSameText(request.headers.get('x-csrf-token') ?? '', session.csrfToken)) {
    const message = 'the header x-csrf-token is missing, or is not that of the session; sign in again';
    throw new AppError('csrf_refused', message);
  }
  record.session = session;
  const { name, operator } = session;
  const id = operator === undefined ? name : `${operator}/${name}`;
  record.by = { kind: 'admin', id, address: request.client };
}

/**
 * Checks the headers by which a browser marks a request of this listener's page. The listener has compared Origin and
 * Host if they are present. Errors: `origin_refused`, `unsupported_media_type`.
 */
export function checkPageRequest({ method, headers, contentLength }: HttpHead): void {
  if (SAFE_METHODS.includes(method)) return;
  if (!headers.has('origin')) {
    const message =
      'a change needs the header Origin, which every browser sends; scripts send Authorization: Bearer gwa_...';
    throw new AppError('origin_refused', message);
  }
  const hasBody = (contentLength ?? 0) > 0 || headers.has('transfer-encoding');
  // Forms and pages of other origins can send any other type without being asked.
  if (hasBody && !JSON_TYPE.test(headers.get('content-type') ?? '')) {
    throw new AppError('unsupported_media_type', 'the content-type of the body is not application/json', {
      param: null,
    });
  }
}

/** A right token is always let in: it has 256 bits. Wrong ones are counted. */
function checkBearer(authorization: string, { meter, tokenLimit }: AdminContext): void {
  const token = BEARER.exec(authorization.trim())?.[1] ?? '';
  if (meter.adminToken.check(token)) return;
  tokenLimit.check();
  tokenLimit.fail();
  const message = "this is not the admin token in force; 'private-gateway admin-token' makes a new one";
  throw new AppError('admin_token_invalid', message);
}
