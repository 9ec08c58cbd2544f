/** What an event stream needs besides its events. */
export interface SseOptions {
  /** A comment is sent when nothing else was for so long, so that proxies and clients do not give up. */
  readonly keepAliveMs: number;
  /** The data of the event that tells of a source that failed. */
  readonly onError: (error: unknown) => string;
}

/** What ends a stream of completions (OpenAI). */
const DONE = 'data: [DONE]\n\n';
const PING = ': ping\n\n';

/**
 * Events as a body of text/event-stream: each string, which has no line break, is one event's data. Ends with
 * `data: [DONE]`; a source that fails ends it with one event of `onError` instead. Its `return()` ends the source.
 */
export async function* sseBody(events: AsyncIterable<string>, options: SseOptions): AsyncIterable<string> {
  const source = events[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (let next = source.next(); ; next = source.next()) {
      while (!(await settlesWithin(options.keepAliveMs, next))) yield PING;
      const result = await next;
      if (result.done === true) break;
      yield `data: ${result.value}\n\n`;
    }
    ended = true;
    yield DONE;
  } catch (error) {
    ended = true;
    yield `data: ${options.onError(error)}\n\n`;
  } finally {
    // Left early: the reader is gone.
    if (!ended) await source.return?.();
  }
}

/** Whether `promise` settles, either way, within `timeMs`. */
async function settlesWithin(timeMs: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeMs);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}
