import type { CodeTable } from '../base/index.js';

/** Codes that the client itself makes. */
export const clientCodes = {
  server_unavailable: {
    who: 'wait',
    kind: 'unavailable',
    when: 'a client of gRPC cannot reach its server, or the connection broke; its certificate may have been refused',
  },
  call_failed: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a call of gRPC failed with a status that says no code of ours, as one of another server or of a proxy',
  },
} as const satisfies CodeTable;
