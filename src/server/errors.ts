import type { CodeTable } from '../base/index.js';

/** Codes of the engine on the network. */
export const serverCodes = {
  model_loading: {
    who: 'wait',
    kind: 'unavailable',
    when: 'the first model is still being loaded, so that no request could be answered now',
  },
  hub_missing: {
    who: 'operator',
    kind: 'unimplemented',
    when: 'a client asks the server to pull, push or create a model, which it cannot do yet',
  },
} as const satisfies CodeTable;
