import type { CodeTable } from '../base/index.js';

/** Codes of commands that are run on a server over a local socket. */
export const controlCodes = {
  operation_unknown: {
    who: 'caller',
    kind: 'unimplemented',
    when: 'a command asks a running server for an operation that it does not have',
  },
  control_failed: {
    who: 'operator',
    kind: 'unavailable',
    when: 'a command and a running server cannot reach or understand each other over the local socket',
  },
} as const satisfies CodeTable;
