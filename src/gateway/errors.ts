import type { CodeTable } from '../base/index.js';

/** Codes of the private gateway. */
export const gatewayCodes = {
  scan_range_invalid: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the range to scan is no address and no CIDR range, or has more than 1,024 addresses',
  },
  scan_range_refused: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'the range to scan has public addresses that are not allowed, or none that a runtime may have',
  },
  runtime_url_refused: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'the URL of a runtime is not plain http, or leads to an address that the gateway never contacts',
  },
  runtime_unresolved: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the host name in the URL of a runtime has no address',
  },
  gateway_config_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'gateway.yaml cannot be used: the message gives each mistake with its line, its column and its field',
  },
  gateway_config_missing: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'there is no gateway.yaml at the path that was given',
  },
  gateway_config_exists: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a new gateway.yaml was to be written where a file is already',
  },
  gateway_config_changed: {
    who: 'wait',
    kind: 'aborted',
    when: 'another writer changed gateway.yaml after it was read, or changes it now',
  },
  gateway_data_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a file in the data directory of a gateway was changed by another program',
  },
  runtime_secret_missing: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the key of a runtime is in an environment variable or a file that is not there, or is empty',
  },
  key_ambiguous: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a command names a key by a name that several keys have',
  },
  admin_setting_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'TROUPE_ADMIN_ENABLED is neither true nor false',
  },
  session_invalid: {
    who: 'caller',
    kind: 'unauthenticated',
    when: 'a request to the admin API has no session, or one that has ended',
  },
  csrf_refused: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'a request to the admin API lacks the csrf token of its session',
  },
  sign_in_limited: {
    who: 'wait',
    kind: 'resource_exhausted',
    when: 'too many wrong admin tokens came, so the gateway accepts none for a while',
  },
  etag_missing: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a change over the admin API lacks If-Match with the etag that it read',
  },
  etag_mismatch: {
    who: 'caller',
    kind: 'aborted',
    when: 'what a change over the admin API has read was changed since',
  },
  resource_unknown: {
    who: 'caller',
    kind: 'not_found',
    when: 'an id of the admin API names nothing that is there',
  },
  scan_busy: {
    who: 'wait',
    kind: 'aborted',
    when: 'the admin API asks for a scan while another one runs',
  },
  config_refused: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a text or a change from the admin API cannot be used as gateway.yaml',
  },
  gateway_config_edit: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'an edit of gateway.yaml names an entry that is not there, or cannot be made without losing a comment',
  },
} as const satisfies CodeTable;
