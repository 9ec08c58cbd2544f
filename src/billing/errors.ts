import type { CodeTable } from '../base/index.js';

/** Codes of billing. Things of another account get the same answer as missing ones. */
export const billingCodes = {
  account_unknown: { who: 'caller', kind: 'not_found', when: 'a command names an account that is not there' },
  account_suspended: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'the account of a key was suspended by the operator',
  },
  account_key_unknown: {
    who: 'caller',
    kind: 'not_found',
    when: 'a change names a key that the account does not have',
  },
  insufficient_credit: {
    who: 'caller',
    kind: 'resource_exhausted',
    when: 'an account has less money than a request may cost at the least',
  },
  balance_exceeded: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'money that is not there is to be taken from an account, or an account would have more than it can',
  },
  payment_reference_used: {
    who: 'caller',
    kind: 'already_exists',
    when: 'a payment has the reference of another one of the account, with another amount or another note',
  },
  currency_mismatch: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the price of a model is in another currency than the account',
  },
  idempotency_key_used: {
    who: 'caller',
    kind: 'already_exists',
    when: 'an Idempotency-Key was sent with another request of the last 24 hours',
  },
  request_unknown: { who: 'caller', kind: 'not_found', when: 'an account has no request of an id' },
  request_id_used: {
    who: 'developer',
    kind: 'internal',
    when: 'two requests have the same id',
  },
  outbox_unusable: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the file of settlements that wait for the database is in use by another process, or cannot be read or written',
  },
  shared_limits_missing: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'limits are to be shared by a Valkey, and the package that speaks to it is not installed',
  },
} as const satisfies CodeTable;
