import { AppError, codeOf, hasErrorCode, isAppError, isError } from '../../base/index.js';
import { ADDRESS_REFUSED } from '../../address/index.js';
import { PROXY_REFUSED } from './proxy-connect.js';

/** Why an upstream failed, more exactly than its code. */
export type UpstreamReason =
  | 'connect_failed'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'request_timeout'
  | 'closed_early'
  | 'not_http'
  | 'busy'
  | 'out_of_service'
  | 'exhausted'
  | 'proxy_refused'
  | 'address_refused'
  | 'api_missing'
  | 'replaced';

const messages: Readonly<Record<UpstreamReason, string>> = {
  connect_failed: 'cannot be reached; see that it runs and that its address is right',
  connect_timeout: 'did not take the connection in time; see that it runs and that its address is right',
  first_byte_timeout: 'did not begin its answer in time',
  idle_timeout: 'stopped in the middle of its answer',
  request_timeout: 'did not end its answer in time',
  closed_early: 'closed the connection before its answer was whole',
  not_http: 'did not answer in HTTP/1.1',
  busy: 'has as many requests under way as it may; try again later',
  out_of_service: 'has no server in service now; try again later, or see the state of its servers',
  proxy_refused: 'is not reached, since the proxy refuses the tunnel to it; see the proxy and its credentials',
  address_refused: 'is at an address that is never contacted; see its base_url, and what its name resolves to',
  api_missing: 'does not have the API that the request came by',
  replaced: 'does not prove to be the server that was approved, so that nothing was sent to it; see its state',
  exhausted: 'got no connection, since this process may open no more files; try again later, or raise its limit',
};

/** An error of an upstream. `id` is the operator's name for it: clients never see its address. */
export function upstreamError(id: string, reason: UpstreamReason, cause?: unknown): AppError {
  const isOurs = reason === 'busy' || reason === 'out_of_service' || reason === 'exhausted';
  const code = isOurs ? 'upstream_busy' : reason.endsWith('timeout') ? 'upstream_timeout' : 'upstream_error';
  const details = { upstream: id, reason, cause: codeOf(cause) ?? null };
  return new AppError(code, `the upstream ${id} ${messages[reason]}`, details, { cause });
}

/** A reason in words that follow the name of the failed part: `cannot be reached; see that it runs`. */
export function reasonWords(reason: UpstreamReason): string {
  return messages[reason];
}

/**
 * The error of an upstream without an API. `status`: its answer to a request by `path`. `advice`: the next step, as the
 * end of a sentence.
 */
export function apiMissing(id: string, path: string, status: number, advice: string): AppError {
  const reason: UpstreamReason = 'api_missing';
  const message = `the upstream ${id} has no ${path}: it answered with status ${status}; ${advice}`;
  return new AppError('upstream_api_missing', message, { upstream: id, reason, api: path, status });
}

/**
 * Turns an error of undici into one of ours; keeps our own errors and aborts. `isConnected`: the upstream had accepted
 * the request.
 */
export function toUpstreamError(id: string, error: unknown, isConnected: boolean): unknown {
  if (isAppError(error) || error instanceof DOMException) return error;
  if (hasErrorCode(error, 'UND_ERR_CONNECT_TIMEOUT')) return upstreamError(id, 'connect_timeout', error);
  if (hasErrorCode(error, PROXY_REFUSED)) return upstreamError(id, 'proxy_refused', error);
  if (hasErrorCode(error, ADDRESS_REFUSED)) return upstreamError(id, 'address_refused', error);
  if (hasErrorCode(error, 'EMFILE', 'ENFILE')) return upstreamError(id, 'exhausted', error);
  // Errors of undici's parser have no code of their own; a premature end is not an HTTP error.
  const isUnread = isError(error) && error.name === 'HTTPParserError' && !error.message.includes('EOF');
  if (isUnread || hasErrorCode(error, 'UND_ERR_HEADERS_OVERFLOW')) return upstreamError(id, 'not_http', error);
  return upstreamError(id, isConnected ? 'closed_early' : 'connect_failed', error);
}

/** Why an upstream failed; undefined: the error is not one of an upstream. */
export function reasonOf(error: unknown): UpstreamReason | undefined {
  if (!isAppError(error) || !error.code.startsWith('upstream_')) return undefined;
  const { reason } = error.details;
  return typeof reason === 'string' && reason in messages ? (reason as UpstreamReason) : undefined;
}
