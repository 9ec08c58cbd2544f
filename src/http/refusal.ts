import type { ErrorBody } from '../api/index.js';
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

/** HTTP status of each refusal. */
const statusOf: Readonly<Partial<Record<HttpCode, number>>> = {
  host_refused: 403,
  origin_refused: 403,
  request_timeout: 408,
  length_required: 411,
  request_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  headers_too_large: 431,
  too_many_bodies: 503,
  shutting_down: 503,
};

/** A refusal of a request whose end is known, so that its answer may be read. */
export function refuse(code: HttpCode, message: string): Refusal {
  return { code, message, framing: 'sound' };
}

/** A refusal of a request that two parsers may read in two ways. */
export function refuseFraming(message: string): Refusal {
  return { code: 'request_malformed', message, framing: 'malformed' };
}

/** The answer for a refusal: OpenAI's error body (wire.md 2.2). */
export function toRefusalResponse({ code, message }: Refusal): HttpResponse {
  const status = statusOf[code] ?? 400;
  const type = status === 403 ? 'permission_error' : status === 503 ? 'server_error' : 'invalid_request_error';
  return errorResponse(status, type, code, message);
}

/** An error answer of the listener. */
export function errorResponse(status: number, type: string, code: string, message: string): HttpResponse {
  const body: ErrorBody = { error: { message, type, param: null, code } };
  const retry = status === 503 ? { 'retry-after': '1' } : {};
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...retry },
    body: JSON.stringify(body),
  };
}
