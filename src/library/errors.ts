import type { CodeTable } from '../base/index.js';

/** Codes of finding models by name. */
export const libraryCodes = {
  model_loading: {
    who: 'wait',
    kind: 'unavailable',
    when: 'the first model still loads, so no request can be answered now',
  },
  models_fixed: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'a request would add, copy or remove models of a server that has the one of its configuration',
  },
  model_unloaded: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the one model of a server is not loaded, since it was unloaded',
  },
} as const satisfies CodeTable;
