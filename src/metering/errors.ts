import type { CodeTable } from '../base/index.js';

/**
 * Codes of metering. Clients cannot distinguish unknown, disabled and revoked keys; `details.reason` distinguishes them
 * in logs.
 */
export const meteringCodes = {
  missing_api_key: { who: 'caller', kind: 'unauthenticated', when: 'a request brings no key' },
  invalid_api_key: {
    who: 'caller',
    kind: 'unauthenticated',
    when: 'a key is mistyped, unknown, disabled or revoked',
  },
  expired_key: {
    who: 'caller',
    kind: 'unauthenticated',
    when: 'a key is past its expiry, or past its grace after a rotation',
  },
  admin_token_invalid: {
    who: 'caller',
    kind: 'unauthenticated',
    when: 'an admin token is missing or is not the one in force',
  },
  admin_token_missing: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the admin page is turned on and no admin token was issued',
  },
  admin_token_unusable: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the file of the admin token cannot be read, was changed by another program, or others may read it',
  },
  rate_limit_exceeded: {
    who: 'wait',
    kind: 'resource_exhausted',
    when: 'a key has used its requests or tokens of this minute, or has reached its limit of requests at once',
  },
  budget_exceeded: {
    who: 'caller',
    kind: 'resource_exhausted',
    when: 'a budget of a key has no room for a request until its window ends',
  },
  key_unknown: { who: 'caller', kind: 'not_found', when: 'a change names a key that is not there' },
  metering_unavailable: {
    who: 'wait',
    kind: 'unavailable',
    when: 'usage cannot be written, as on a full disk, so that nothing is dispatched that would have to be charged',
  },
  metering_in_use: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'another process has the metering database open',
  },
  metering_database_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a metering database is damaged, or was written by a newer version',
  },
  audit_unavailable: {
    who: 'operator',
    kind: 'unavailable',
    when: 'the audit log cannot be written, so changes are refused',
  },
} as const satisfies CodeTable;
