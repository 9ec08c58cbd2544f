import { systemClock, type ErrorData } from '../base/index.js';
import { framedBody, type HttpResponse } from '../http/index.js';
import { toAnswerError } from './respond.js';
import type { HeadCall } from './route.js';

/** Times of streams. */
export interface StreamTimes {
  /** A ping is sent when nothing else was for so long. */
  readonly keepAliveMs: number;
  /** A stream begins when its first object is there, or after so long: until then a failure still has a status of its own. */
  readonly commitAfterMs: number;
}

/** How an API writes streams of objects. */
export interface StreamFormat extends StreamTimes {
  readonly mediaType: string;
  /** One object as a piece of the stream; `json` is its text. */
  readonly frame: (json: string, object: object) => string;
  /** What a stream that did not fail ends with. */
  readonly end: string;
  /** What keeps a silent stream alive; absent where the format has nothing for that. */
  readonly ping?: string | undefined;
  /** Default: `JSON.stringify`. */
  readonly toJson?: ((object: object) => string) | undefined;
  /** The objects that end a stream that failed. */
  readonly toErrors: (error: ErrorData) => readonly object[];
}

/**
 * A stream of objects. It begins with the first object: a failure before it has its own status. Where the format has a
 * ping, it begins after `commitAfterMs` at the latest: clients and proxies then receive something while a model loads.
 * Rejects as the first object does.
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
    // Without a ping there is nothing that a client would hear the sooner.
    const stop = ping === undefined ? () => {} : systemClock.after(commitAfterMs, begin);
    first.then(begin, (error: unknown) => {
      stop();
      reject(error);
    });
  });
}

/** `x-accel-buffering` asks nginx not to collect what is sent. */
function streamHeaders(mediaType: string): Record<string, string> {
  return { 'content-type': mediaType, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
}

/** Apart, so that a stream under way keeps nothing of how it began. */
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
