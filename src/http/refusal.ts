import { toErrorData } from '../base/index.js';
import type { HttpCode } from './errors.js';

/** Codes of the listener, and where the system has no memory for a body. */
export type RefusalCode = HttpCode | 'out_of_memory';

/** An answer of the listener itself, instead of a handler's. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /**
   * Whether the end of the request is known. `sound`: its rest is read, then answered. `unknown`: it is answered and the
   * connection ends. `malformed`: the connection ends at once, since a parser could go on to read a request that is hidden
   * behind.
   */
  readonly framing: 'sound' | 'unknown' | 'malformed';
}

/** A refusal of a request whose end is known, so that its answer may be read. */
export function refuse(code: RefusalCode, message: string): Refusal {
  return { code, message, framing: 'sound' };
}

/** A refusal of a request that two parsers may read in two ways. */
export function refuseFraming(message: string): Refusal {
  return { code: 'request_malformed', message, framing: 'malformed' };
}

/** The refusal of a body of `bytes` for which the system has no memory; of another failure, the failure itself. */
export function refuseForMemory(error: unknown, bytes: number): Refusal {
  if (toErrorData(error).code !== 'out_of_memory') throw error;
  return refuse('out_of_memory', `the system has no memory for a body of ${bytes} bytes`);
}
