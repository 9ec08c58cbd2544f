import { systemClock, type ErrorData } from '../base/index.js';
import { framedBody, type HttpResponse } from '../http/index.js';
import { toAnswerError } from './respond.js';
import type { HeadCall } from './route.js';

/** Times of streams. */
export interface StreamTimes {
  /** The stream sends a ping after this time without data. */
  readonly keepAliveMs: number;
  /** The stream begins with its first object, or after this time. Until then a failure can still set its own status. */
  readonly commitAfterMs: number;
}

/** The format of an API's streams of objects. */
export interface StreamFormat extends StreamTimes {
  readonly mediaType: string;
  /** Writes one object as a piece of the stream; `json` is its text. */
  readonly frame: (json: string, object: object) => string;
  /** The end of a stream without a failure. */
  readonly end: string;
  /** The text that keeps a silent stream alive; absent if the format has none. */
  readonly ping?: string | undefined;
  /** Default: `JSON.stringify`. */
  readonly toJson?: ((object: object) => string) | undefined;
  /** The objects that end a failed stream. */
  readonly toErrors: (error: ErrorData) => readonly object[];
}

/**
 * Creates a stream of objects. It begins with the first object, so an earlier failure has its own status. If the format
 * has a ping, it begins after `commitAfterMs` at the latest, so clients and proxies receive data while a model loads.
 * Rejects if the first object rejects.
 */
export function streamResponse(
  objects: AsyncGenerator<object, void>,
  { record, request: { signal } }: Pick<HeadCall<unknown>, 'record' | 'request'>,
  format: StreamFormat,
): Promise<HttpResponse> {
  const { mediaType, end, ping, toJson = JSON.stringify, keepAliveMs, commitAfterMs } = format;
  record.isStream = true;
  const first = objects.next();
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      stop();
      const onError = toErrorFrame(format, record, signal);
      const frame = (object: object): string => format.frame(toJson(object), object);
      const body = framedBody(objects, { first, frame, end, ping, onError, keepAliveMs });
      resolve({ status: 200, headers: streamHeaders(mediaType), body });
    };
    // Without a ping, an earlier start would send no data.
    const stop = ping === undefined ? () => {} : systemClock.after(commitAfterMs, begin);
    first.then(begin, (error: unknown) => {
      stop();
      reject(error);
    });
  });
}

/** `x-accel-buffering` turns off nginx's buffering. */
function streamHeaders(mediaType: string): Record<string, string> {
  return { 'content-type': mediaType, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
}

/** A separate function, so that a running stream does not keep the closure of its start in memory. */
function toErrorFrame(
  { frame, toErrors }: StreamFormat,
  record: HeadCall<unknown>['record'],
  signal: AbortSignal,
): (error: unknown) => string {
  return (error) => {
    record.error = toAnswerError(error, { signal });
    return toErrors(record.error)
      .map((object) => frame(JSON.stringify(object), object))
      .join('');
  };
}
