import type { CodeTable } from '../base/index.js';

/** Codes of the hosted API. */
export const hostedCodes = {
  gateway_unknown: {
    who: 'caller',
    kind: 'not_found',
    when: 'a slug names no connected gateway',
  },
  gateway_exists: {
    who: 'caller',
    kind: 'already_exists',
    when: 'a gateway is to be connected under a slug that is in use',
  },
  gateway_url_refused: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'the base URL of a connected gateway is not plain, leads to an address that is not contacted, or back to the service',
  },
  gateway_sync_failed: {
    who: 'upstream',
    kind: 'unavailable',
    when: 'the list of models of a connected gateway cannot be read',
  },
  gateway_credential_unreadable: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the credential of a connected gateway was sealed by another secret than that of hosted.yaml',
  },
  operator_token_invalid: {
    who: 'caller',
    kind: 'unauthenticated',
    when: 'a request to the operator page lacks its token, or has that of an earlier start',
  },
  prices_invalid: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a file of prices cannot be read: each mistake is told with its place',
  },
} as const satisfies CodeTable;
