import type { CodeTable } from '../base/index.js';

/** Codes of holding several models within one budget of memory. */
export const poolCodes = {
  models_busy: {
    who: 'wait',
    kind: 'unavailable',
    when: 'a model fits the memory budget, but the loaded models are in use and were not released; or too many calls or loads wait already',
  },
} as const satisfies CodeTable;
