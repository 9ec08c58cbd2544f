import { errorResponse } from './error-response.js';
import type { HttpCode } from './errors.js';
import type { HttpResponse } from './message.js';

/** What the listener itself answers, instead of a handler. */
export interface Refusal {
  readonly code: HttpCode;
  readonly message: string;
  /**
   * What is known of where the request ends. `sound`: its rest is read, then answered. `unknown`: it is answered and
   * the connection ends. `malformed`: the connection ends at once, since after an answer a parser may go on to read
   * what is hidden behind.
   */
  readonly framing: 'sound' | 'unknown' | 'malformed';
}

/** A refusal of a request whose end is known, so that its answer may be read. */
export function refuse(code: HttpCode, message: string): Refusal {
  return { code, message, framing: 'sound' };
}

/** A refusal of a request that two parsers may read in two ways. */
export function refuseFraming(message: string): Refusal {
  return { code: 'request_malformed', message, framing: 'malformed' };
}

/** The answer for a refusal. */
export function toRefusalResponse({ code, message }: Refusal): HttpResponse {
  return errorResponse({ code, message, details: {} });
}
