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
    when: 'a chat template rendered more text than its limit',
  },
} as const satisfies CodeTable;
