import type { CodeTable } from '../base/index.js';

/** Codes of a hub of models. */
export const hubCodes = {
  hub_settings_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'HF_ENDPOINT, HF_TOKEN or a proxy of the environment is not valid',
  },
  hub_offline: {
    who: 'upstream',
    kind: 'unavailable',
    when: 'a model is not here and HF_HUB_OFFLINE, or an option, forbids to ask the hub for it',
  },
  hub_unreachable: {
    who: 'upstream',
    kind: 'unavailable',
    when: 'the hub, or the storage that it redirects to, cannot be reached, broke off or stopped sending too often',
  },
  hub_throttled: {
    who: 'upstream',
    kind: 'resource_exhausted',
    when: 'the hub answers 429 and asks to wait longer than a pull waits',
  },
  hub_repository_missing: {
    who: 'upstream',
    kind: 'not_found',
    when: 'the hub has no model repository of that name, or does not show it to this token',
  },
  hub_revision_missing: {
    who: 'upstream',
    kind: 'not_found',
    when: 'a repository has no branch, tag or commit of that name',
  },
  hub_file_missing: { who: 'upstream', kind: 'not_found', when: 'a file that the tree lists is not at the hub' },
  hub_gated: {
    who: 'upstream',
    kind: 'permission_denied',
    when: 'a repository is gated: its terms must be accepted, and a token of that account sent',
  },
  hub_token_refused: {
    who: 'upstream',
    kind: 'permission_denied',
    when: 'the hub does not know the token of the request',
  },
  hub_redirect_refused: {
    who: 'upstream',
    kind: 'permission_denied',
    when: 'the hub redirects to an address or a protocol that is never followed',
  },
  hub_answer_invalid: {
    who: 'upstream',
    kind: 'data_loss',
    when: 'an answer of the hub is not what its API says, or passes a limit',
  },
  hub_content_mismatch: {
    who: 'upstream',
    kind: 'data_loss',
    when: 'a downloaded file has a different hash or size than the hub says, also after a second download',
  },
} as const satisfies CodeTable;
