import { Type, type Static } from '../../../schema/index.js';
import { Time } from './paging.js';

/** The body of a sign-in. */
export const SignIn = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 256 }),
  name: Type.Optional(
    Type.String({
      pattern: '^[^\\x00-\\x1f:@/\\x7f]{1,64}$',
      description: 'Who signs in, for the audit log: all operators share one token, so that the name is not verified.',
    }),
  ),
});

/** A session. The answer has `csrf_token` once, when the session begins. Every request sends it as `x-csrf-token`. */
export const SignedIn = Type.Object({
  csrf_token: Type.String(),
  expires_at: Time,
  idle_timeout_s: Type.Integer(),
});

/** The session of a request. Without one, of a request with the admin token: `session` is null. */
export const SessionState = Type.Object({
  gateway_id: Type.String(),
  version: Type.String(),
  session: Type.Union([
    Type.Object({ id: Type.String(), expires_at: Time, idle_timeout_s: Type.Integer() }),
    Type.Null(),
  ]),
});

/** The end of one. */
export const SignedOut = Type.Object({ signed_in: Type.Literal(false) });

export type SessionState = Static<typeof SessionState>;
