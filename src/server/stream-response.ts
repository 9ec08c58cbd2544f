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
export async function streamResponse(chunks: AsyncGenerator<unknown, void>, call: RouteCall): Promise<HttpResponse> {
  const { request, context, record } = call;
  const { keepAliveMs, commitAfterMs } = context.streams;
  record.isStream = true;
  const first = chunks.next();
  await settledWithin(commitAfterMs, first);
  const { signal } = request;
  const onError = (error: unknown): string => {
    record.error = toAnswerError(error, { signal });
    return JSON.stringify(toErrorBody(record.error));
  };
  const body = sseBody(new EventTexts(first, chunks), { keepAliveMs, onError });
  return { status: 200, headers: SSE_HEADERS, body };
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

/** Waits for `promise` for at most `timeMs`. Rejects as it does within that time. */
async function settledWithin(timeMs: number, promise: Promise<unknown>): Promise<void> {
  let stop = (): void => {};
  const late = new Promise<void>((resolve) => {
    stop = systemClock.after(timeMs, resolve);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    stop();
  }
}
