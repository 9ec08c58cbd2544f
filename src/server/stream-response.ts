import { toErrorBody } from '../api/index.js';
import { systemClock } from '../base/index.js';
import { sseBody, type HttpResponse } from '../http/index.js';
import { toAnswerError } from './respond.js';
import type { RouteCall } from './route.js';

/** Of a stream of events; `x-accel-buffering` asks nginx not to collect them. */
const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/**
 * An event stream of `chunks`. It begins when the first is there, so that what fails before has its own status, or after
 * `commitAfterMs`, so that clients and proxies hear something while a model loads. Rejects as the first chunk does.
 */
export function streamResponse(chunks: AsyncGenerator<unknown, void>, call: RouteCall): Promise<HttpResponse> {
  const { record, context } = call;
  const { keepAliveMs, commitAfterMs } = context.streams;
  record.isStream = true;
  const first = chunks.next();
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      stop();
      const onError = toErrorEvent(record, call.request.signal);
      const body = sseBody(new EventTexts(first, chunks), { keepAliveMs, onError });
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
function toErrorEvent(record: RouteCall['record'], signal: AbortSignal): (error: unknown) => string {
  return (error) => {
    record.error = toAnswerError(error, { signal });
    return JSON.stringify(toErrorBody(record.error));
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
