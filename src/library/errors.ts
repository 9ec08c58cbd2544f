import type { CodeTable } from '../base/index.js';

/** Codes of finding models by name. */
export const libraryCodes = {
  model_not_found: { who: 'caller', kind: 'not_found', when: 'a request names no model that the server has' },
} as const satisfies CodeTable;
