import type { CodeTable } from '../base/index.js';

/** Codes of requests that match no route. */
export const endpointCodes = {
  not_found_error: {
    who: 'caller',
    kind: 'not_found',
    when: 'a request is for a path that the server does not have',
  },
  method_not_allowed: {
    who: 'caller',
    kind: 'unimplemented',
    when: 'a path of the server does not take the method of the request',
  },
} as const satisfies CodeTable;
