import type { CodeTable } from '../base/index.js';

/** Codes of chat templates. */
export const jinjaCodes = {
  template_error: { who: 'caller', when: 'a chat template is not valid, or refuses these messages' },
  template_too_large: { who: 'operator', when: 'a chat template is longer than its limit' },
  prompt_too_large: { who: 'caller', when: 'a chat template rendered more text than its limit' },
} as const satisfies CodeTable;
