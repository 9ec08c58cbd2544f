import type { CodeTable } from '../base/index.js';

/** Codes of chat templates. */
export const jinjaCodes = {
  template_error: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a chat template is not valid, or refuses these messages',
  },
  template_too_large: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a chat template is longer than its limit',
  },
  prompt_too_large: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a conversation has more text or values than its chat template may be given, or is rendered to more text',
  },
} as const satisfies CodeTable;
