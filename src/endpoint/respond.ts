import { AppError, hidePaths, toErrorData, type ErrorData } from '../base/index.js';
import { hasClientLeft, type HttpHead, type HttpResponse } from '../http/index.js';

/** Creates a complete JSON answer with further headers. `toJson` serializes the value. */
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
 * Converts an error of the handler of `request` to data. An abort is not a failure of the handler: the client left, or
 * the server stops. The data has only the last name of local paths; the thrown error has the full paths for the log.
 */
export function toAnswerError(error: unknown, { signal }: Pick<HttpHead, 'signal'>): ErrorData {
  if (!signal.aborted || error !== signal.reason) return hidePaths(toErrorData(error));
  const reason = hasClientLeft(signal)
    ? new AppError('client_left', 'the client closed its connection before the end of the answer')
    : new AppError('shutting_down', 'the server is shutting down; send the request again');
  return toErrorData(reason);
}
