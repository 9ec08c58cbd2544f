import type { CodeTable } from '../base/index.js';

/** Codes of serving relayed requests. */
export const relayServingCodes = {
  output_limit_reached: {
    who: 'caller',
    kind: 'out_of_range',
    when: 'an answer has as many completion tokens as its key or its model allows, and is cut',
  },
} as const satisfies CodeTable;
