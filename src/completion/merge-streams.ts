/**
 * The items of several streams, each as it comes, in no order between streams but in turn where several are ready. Asks a
 * stream for its next item only when the consumer wants one. Leaving it, or the failure of one, ends all of them: a stream's
 * `return` must take effect while its `next` waits (`abortableStream`).
 */
export async function* mergeStreams<T>(streams: readonly AsyncGenerator<T, void>[]): AsyncGenerator<T, void> {
  const waiting = new Map<AsyncGenerator<T, void>, Promise<Arrival<T>>>();
  let idle = streams;
  try {
    for (;;) {
      for (const stream of idle) waiting.set(stream, nextOf(stream));
      if (waiting.size === 0) return;
      const { stream, result } = await Promise.race(waiting.values());
      waiting.delete(stream);
      idle = result.done === true ? [] : [stream];
      if (result.done !== true) yield result.value;
    }
  } finally {
    await Promise.all(streams.map(async (stream) => stream.return()));
  }
}

interface Arrival<T> {
  readonly stream: AsyncGenerator<T, void>;
  readonly result: IteratorResult<T, void>;
}

async function nextOf<T>(stream: AsyncGenerator<T, void>): Promise<Arrival<T>> {
  return { stream, result: await stream.next() };
}
