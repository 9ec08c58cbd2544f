import { systemClock, type ErrorData } from '../base/index.js';
import { sseBody, type HttpResponse } from '../http/index.js';
import { toAnswerError } from './respond.js';
import type { HeadCall } from './route.js';

/** Times of event streams. */
export interface StreamTimes {
  /** A comment is sent when nothing else was for so long. */
  readonly keepAliveMs: number;
  /** A stream begins when its first event is there, or after so long: until then a failure still has a status of its own. */
  readonly commitAfterMs: number;
}

/** How an API writes event streams. */
export interface StreamOptions extends StreamTimes {
  /** The data of the event that ends a whole stream; absent: it just ends. */
  readonly last?: string;
  /** The data of the event that ends one that failed. */
  readonly toErrorEvent: (error: ErrorData) => string;
}

/** Of a stream of events; `x-accel-buffering` asks nginx not to collect them. */
const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/**
 * An event stream of `chunks`, each as JSON. It begins when the first is there, so that what fails before has its own status,
 * or after `commitAfterMs`, so that clients and proxies hear something while a model loads. Rejects as the first chunk does.
 */
export function streamResponse(
  chunks: AsyncGenerator<unknown, void>,
  { record, request: { signal } }: Pick<HeadCall<unknown>, 'record' | 'request'>,
  { keepAliveMs, commitAfterMs, last, toErrorEvent }: StreamOptions,
): Promise<HttpResponse> {
  record.isStream = true;
  const first = chunks.next();
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      stop();
      const onError = noteError(record, signal, toErrorEvent);
      const body = sseBody(new EventTexts(first, chunks), {
        keepAliveMs,
        onError,
        ...(last !== undefined && { last }),
      });
      resolve({ status: 200, headers: SSE_HEADERS, body });
    };
    const stop = systemClock.after(commitAfterMs, begin);
    first.then(begin, (error: unknown) => {
      stop();
      reject(error);
    });
  });
}

/** Apart, so that a stream under way keeps nothing of how it began. */
function noteError(
  record: HeadCall<unknown>['record'],
  signal: AbortSignal,
  toErrorEvent: StreamOptions['toErrorEvent'],
): (error: unknown) => string {
  return (error) => {
    record.error = toAnswerError(error, { signal });
    return toErrorEvent(record.error);
  };
}

/** Chunks, the first of which was asked for already, as the data of events. */
class EventTexts implements AsyncIterableIterator<string> {
  #first: Promise<IteratorResult<unknown, void>> | undefined;
  readonly #chunks: AsyncGenerator<unknown, void>;

  constructor(first: Promise<IteratorResult<unknown, void>>, chunks: AsyncGenerator<unknown, void>) {
    this.#first = first;
    this.#chunks = chunks;
  }

  next(): Promise<IteratorResult<string>> {
    const next = this.#first ?? this.#chunks.next();
    this.#first = undefined;
    return next.then(({ done, value }) =>
      done === true ? { done, value: undefined } : { done: false, value: JSON.stringify(value) },
    );
  }

  async return(): Promise<IteratorResult<string>> {
    await this.#chunks.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
