import type { CodeTable } from '../base/index.js';

/** Codes of the embedding API's own door. */
export const embeddingCodes = {
  invalid_option: { who: 'caller', when: 'an option of createEngine or of a call is outside its range' },
} as const satisfies CodeTable;
