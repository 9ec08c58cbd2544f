import { AppError, hidePaths, toErrorData, type ErrorData } from '../base/index.js';
import { hasClientLeft, type HttpHead, type HttpResponse } from '../http/index.js';

/** A whole JSON answer, and further headers of it. `toJson`: what writes it. */
export function jsonResponse<T>(
  value: T,
  headers: Readonly<Record<string, string>> = {},
  toJson: (value: T) => string = JSON.stringify,
): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: toJson(value),
  };
}

/**
 * What was thrown while `request` was answered, as data; an abort is not the failure of the handler: the client left, or the
 * server stops. Of paths of this machine only the last name is there: what was thrown has them for the log.
 */
export function toAnswerError(error: unknown, { signal }: Pick<HttpHead, 'signal'>): ErrorData {
  if (!signal.aborted || error !== signal.reason) return hidePaths(toErrorData(error));
  const reason = hasClientLeft(signal)
    ? new AppError('client_left', 'the client closed its connection before the end of the answer')
    : new AppError('shutting_down', 'the server is shutting down; send the request again');
  return toErrorData(reason);
}
