import { fieldsOf, textOf } from '../json.js';

/** The failure of a request. */
export interface ApiFailure {
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Seconds until a retry, if the server sent them. */
  readonly retryAfterS?: number;
}

/** The result of a request. */
export type ApiAnswer<T> =
  | { readonly ok: true; readonly value: T; readonly etag: string | undefined }
  | { readonly ok: false; readonly failure: ApiFailure };

/** The server cannot be reached. */
export const UNREACHABLE: ApiFailure = {
  status: 0,
  code: 'unreachable',
  message: 'The server does not answer. It may be stopped, or the way to it may be closed.',
};

/** The caller cancelled the request. */
export const CANCELLED: ApiFailure = { status: 0, code: 'cancelled', message: 'The request was cancelled.' };

/** The server took too long. */
export const TIMED_OUT: ApiFailure = {
  status: 0,
  code: 'timed_out',
  message: 'The server took too long to answer. Try again, or look at its log.',
};

/** Converts an error answer of the server, `{ error: { code, message } }`. */
export function toApiFailure(status: number, body: unknown, retryAfter: string | null): ApiFailure {
  const { code, message } = fieldsOf(fieldsOf(body)['error']);
  const seconds = Number(retryAfter);
  return {
    status,
    code: textOf(code) ?? `status_${status}`,
    message: textOf(message) ?? `The server answered with status ${status}.`,
    ...(retryAfter !== null && Number.isFinite(seconds) && { retryAfterS: seconds }),
  };
}

/** Converts the value of an answer. */
export function mapAnswer<T, U>(answer: ApiAnswer<T>, toValue: (value: T) => U): ApiAnswer<U> {
  return answer.ok ? { ...answer, value: toValue(answer.value) } : answer;
}
