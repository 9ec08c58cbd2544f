import { AppError, isAppError } from '../../../base/index.js';
import { toTime } from '../../operations/shown-key.js';
import type { AdminContext } from '../admin-context.js';
import { adminRoute, answer, type AdminSection } from '../admin-route.js';
import { SessionState, SignedIn, SignedOut, SignIn } from '../schemas/session.js';
import { checkPageRequest } from '../sessions/authenticate.js';
import { readCookie, toCookie, toEndedCookie } from '../sessions/cookie.js';
import type { Session } from '../sessions/sessions.js';

const PATH = '/admin/api/session';

/** `POST`: a token becomes a session. Good or bad, it is in the audit log before it is answered. */
const signIn = adminRoute({
  method: 'POST',
  path: PATH,
  summary: 'Signs in with the admin token: a cookie, and a csrf token for the header of every request.',
  access: 'anybody',
  body: SignIn,
  // Requests without a session may send it: the limit is low.
  maxBodyBytes: 4_096,
  response: SignedIn,
  async handle({ context, request, body: { token, name } }) {
    checkPageRequest(request);
    const { meter, signInLimit, sessions, port } = context;
    const actor = { kind: 'admin', ...(name !== undefined && { id: `${name}/` }), address: request.client };
    const event = { action: 'session.create', target: 'session', actor };
    try {
      signInLimit.check();
    } catch (error) {
      // The audit log gets the first of a row; the next entry counts the others. A flood then fills no log.
      if (isAppError(error) && error.details['first'] === true) {
        await meter.audit.append({ ...event, outcome: 'refused', reason: error.code });
      }
      throw error;
    }
    const numBlocked = signInLimit.takeBlocked();
    const diff = numBlocked > 0 ? { diff: { held_back: numBlocked } } : {};
    if (!meter.adminToken.check(token)) {
      signInLimit.fail();
      await meter.audit.append({ ...event, ...diff, outcome: 'refused', reason: 'admin_token_invalid' });
      const message = "this is not the admin token in force; 'private-gateway admin-token' makes a new one";
      throw new AppError('admin_token_invalid', message);
    }
    signInLimit.succeed();
    await meter.audit.append({ ...event, ...diff, outcome: 'ok' });
    // Signing in again ends the session before.
    sessions.end(readCookie(request.headers.get('cookie'), port()) ?? '');
    const { secret, session } = sessions.begin(name);
    const body = { csrf_token: session.csrfToken, ...timesOf(session, context) };
    return answer(body, { 'set-cookie': toCookie(secret, port()) });
  },
});

const show = adminRoute({
  method: 'GET',
  path: PATH,
  summary: 'Names the signed-in user, and the end of the session.',
  response: SessionState,
  async handle({ context, record: { session } }) {
    const { config, build } = context;
    const state: SessionState = {
      gateway_id: config().gatewayId,
      version: build,
      session: session === undefined ? null : { id: session.name, ...timesOf(session, context) },
    };
    return answer(state);
  },
});

const signOut = adminRoute({
  method: 'DELETE',
  path: PATH,
  summary: 'Signs out.',
  response: SignedOut,
  async handle({ context: { sessions, port }, request }) {
    // Its end is in the audit log as every end of a session is.
    sessions.end(readCookie(request.headers.get('cookie'), port()) ?? '');
    return answer({ signed_in: false }, { 'set-cookie': toEndedCookie(port()) });
  },
});

function timesOf({ endsMs }: Session, { clock, now, sessions }: AdminContext) {
  return {
    expires_at: toTime(now() + endsMs - clock.nowMs()),
    idle_timeout_s: Math.round(sessions.idleMs / 1000),
  };
}

/** Signing in and out. */
export const session: AdminSection = [signIn, show, signOut];
