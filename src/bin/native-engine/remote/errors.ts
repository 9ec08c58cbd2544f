import type { CodeTable } from '../../../base/index.js';

/** Codes of the commands that ask a running server. */
export const remoteCodes = {
  server_unreachable: {
    who: 'upstream',
    kind: 'unavailable',
    when: 'no server answers where a command looks for one, or it is cut off in the middle of an answer',
  },
  server_refused: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a server answers a command with an error, which is shown with its status',
  },
} as const satisfies CodeTable;
