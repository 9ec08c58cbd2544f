import { AppError, codeOf, isAppError } from '../../base/index.js';
import { reasonOf, type UpstreamReason } from '../../relay/index.js';

/** The failure of a connection, as a part of a sentence. */
const reasons: Readonly<Partial<Record<UpstreamReason, string>>> = {
  connect_failed: 'no connection',
  connect_timeout: 'no connection in time',
  first_byte_timeout: 'no answer in time',
  idle_timeout: 'it stopped sending',
  request_timeout: 'it took too long',
  closed_early: 'the connection was cut',
  not_http: 'its answer is not HTTP',
  exhausted: 'this process may open no more files',
  proxy_refused: 'the proxy refuses the tunnel',
};

/** A failure of a connection to `host` as an error of a hub; any other error unchanged. */
export function toHubError(host: string, error: unknown): unknown {
  const reason = reasonOf(error);
  if (reason === undefined) return error;
  if (reason === 'address_refused') return redirectRefused(host, 'is at an address that a public hub does not lead to');
  const cause = isAppError(error) ? codeOf(error.cause) : undefined;
  return unreachable(host, reasons[reason] ?? reason, { cause: cause ?? null, reason });
}

/** `hub_unreachable`: `why` is a part of a sentence. */
export function unreachable(
  host: string,
  why: string,
  details: Readonly<Record<string, string | number | null>> = {},
): AppError {
  const cause = typeof details['cause'] === 'string' ? ` (${details['cause']})` : '';
  const message = `${host} failed: ${why}${cause}; look at the network, HTTPS_PROXY and HF_ENDPOINT, then try again: the downloaded bytes are kept`;
  return new AppError('hub_unreachable', message, { host, why, ...details });
}

/** `hub_redirect_refused`. */
export function redirectRefused(host: string, why: string): AppError {
  const message = `the hub redirects to ${host}, which ${why}; nothing was sent there`;
  return new AppError('hub_redirect_refused', message, { host });
}

/** `hub_answer_invalid`: the answer of `host` has a wrong form. */
export function invalidAnswer(host: string, why: string): AppError {
  return new AppError('hub_answer_invalid', `${host} answered what cannot be used: ${why}`, { host });
}
