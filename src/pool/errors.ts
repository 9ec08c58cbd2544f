import type { CodeTable } from '../base/index.js';

/** Codes of holding several models within one budget of memory. */
export const poolCodes = {
  models_busy: {
    who: 'wait',
    kind: 'unavailable',
    when: 'a model fits the memory budget, but what is loaded is in use and was not given back; or too many calls or loads wait already',
  },
} as const satisfies CodeTable;
