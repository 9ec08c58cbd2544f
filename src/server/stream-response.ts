import { systemClock } from '../base/index.js';
import { framedBody, type HttpResponse } from '../http/index.js';
import type { WireDialect } from '../wire/index.js';
import { toAnswerError } from './respond.js';
import type { RouteCall } from './route.js';

type Talk = Pick<WireDialect<object, object, object>, 'framing' | 'toError'>;

/**
 * A stream of a dialect's objects. It begins when the first is there, so that what fails before has its own status, or after
 * `commitAfterMs`, so that clients and proxies hear something while a model loads. Rejects as the first object does.
 */
export function streamResponse(
  objects: AsyncGenerator<unknown, void>,
  dialect: Talk,
  { request, context, record }: RouteCall,
): Promise<HttpResponse> {
  const { keepAliveMs, commitAfterMs } = context.streams;
  record.isStream = true;
  const first = objects.next();
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      stop();
      const { framing } = dialect;
      const onError = toErrorFrame(dialect, record, request.signal);
      const frame = (object: unknown): string => framing.frame(JSON.stringify(object));
      const body = framedBody(objects, { first, frame, end: framing.end, ping: framing.ping, onError, keepAliveMs });
      resolve({ status: 200, headers: streamHeaders(framing.mediaType), body });
    };
    const stop = systemClock.after(commitAfterMs, begin);
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
  { framing, toError }: Talk,
  record: RouteCall['record'],
  signal: AbortSignal,
): (error: unknown) => string {
  return (error) => {
    record.error = toAnswerError(error, { signal });
    return framing.frame(JSON.stringify(toError(record.error)));
  };
}
