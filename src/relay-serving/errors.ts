import type { CodeTable } from '../base/index.js';

/** Codes of serving relayed requests. */
export const relayServingCodes = {
  key_model_access_denied: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'a request names a model that its key may not use',
  },
  output_limit_reached: {
    who: 'caller',
    kind: 'out_of_range',
    when: 'an answer has more completion tokens than its request, its key or its model allows, and is cut',
  },
} as const satisfies CodeTable;
