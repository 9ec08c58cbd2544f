import type { CodeTable } from '../base/index.js';

/** Codes of the engine on the network. */
export const serverCodes = {
  not_found_error: { who: 'caller', when: 'a request is for a path that the server does not have' },
  method_not_allowed: { who: 'caller', when: 'a path of the server does not take the method of the request' },
  model_loading: {
    who: 'wait',
    when: 'the first model is still being loaded, so that no request could be answered now',
  },
} as const satisfies CodeTable;
