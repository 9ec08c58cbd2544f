import type { CodeTable } from '../base/index.js';

/** Codes of alerts to webhooks. */
export const alertsCodes = {
  webhook_secret_missing: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the secret of a webhook is not there, or does not have the form whsec_ and 24 to 64 bytes in base64',
  },
  webhook_unknown: {
    who: 'caller',
    kind: 'not_found',
    when: '`alerts test` names a webhook that the file does not have, or the file has none',
  },
} as const satisfies CodeTable;
