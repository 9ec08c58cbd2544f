/**
 * The items of several streams, each as it comes, in no order between streams but in turn where several are ready. Asks a
 * stream for its next item only when the consumer wants one. Leaving it, or the failure of one, ends all of them: a stream's
 * `return` must take effect while its `next` waits (`abortableStream`).
 */
export async function* mergeStreams<T>(streams: readonly AsyncGenerator<T, void>[]): AsyncGenerator<T, void> {
  // Not Promise.race: each would leave a reaction on the promise of every stream that is slower than the others.
  const arrivals: Arrival<T>[] = [];
  let wake = (): void => {};
  const ask = (stream: AsyncGenerator<T, void>): void => {
    const next = stream.next();
    const arrive = (): void => {
      arrivals.push({ stream, next });
      wake();
    };
    next.then(arrive, arrive);
  };
  try {
    for (const stream of streams) ask(stream);
    for (let open = streams.length; open > 0;) {
      const arrival = arrivals.shift();
      if (arrival === undefined) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      const result = await arrival.next;
      if (result.done === true) {
        open--;
      } else {
        yield result.value;
        ask(arrival.stream);
      }
    }
  } finally {
    await Promise.all(streams.map(async (stream) => stream.return()));
  }
}

/** A stream and what it has answered: settled. */
interface Arrival<T> {
  readonly stream: AsyncGenerator<T, void>;
  readonly next: Promise<IteratorResult<T, void>>;
}
