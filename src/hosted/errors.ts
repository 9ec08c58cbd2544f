import type { CodeTable } from '../base/index.js';

/** Codes of the hosted API. */
export const hostedCodes = {
  hosted_config_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'hosted.yaml cannot be used: the message gives each mistake with its line, its column and its field',
  },
  hosted_config_missing: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'there is no hosted.yaml at the given path',
  },
  hosted_config_exists: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a new hosted.yaml was to be written where a file is already',
  },
  hosted_config_changed: {
    who: 'wait',
    kind: 'aborted',
    when: 'another writer changed hosted.yaml after it was read, or changes it now',
  },
  hosted_secret_missing: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a secret that hosted.yaml refers to is missing, empty, or too short for its purpose',
  },
  node_busy: {
    who: 'wait',
    kind: 'unavailable',
    when: 'one node of the hosted API has reached its limit of relayed requests',
  },
  operator_only: {
    who: 'operator',
    kind: 'permission_denied',
    when: 'metrics of the hosted API are asked for from an address that metrics_from of hosted.yaml does not have',
  },
  model_not_priced: {
    who: 'caller',
    kind: 'not_found',
    when: 'a request names a model that has no price, and its provider is not free',
  },
  key_rotation_denied: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'a key with limits is to rotate another one of its account, or the secret of the request was rotated already',
  },
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
  ledger_file_exists: {
    who: 'caller',
    kind: 'already_exists',
    when: 'the file of a ledger export has an export already, and neither --append nor --replace was given',
  },
  ledger_file_foreign: {
    who: 'caller',
    kind: 'already_exists',
    when: 'the ledger is to be exported to a file that is there and is no whole export of a ledger',
  },
  ledger_file_other: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'the ledger lacks the last group of the file that an export extends',
  },
  prices_invalid: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a file of prices cannot be read: the message gives the place of each mistake',
  },
} as const satisfies CodeTable;
