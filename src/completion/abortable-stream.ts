/**
 * A stream whose `return()` takes effect at once, even while a `next()` waits: `signal` aborts, the waiting `next()` says that
 * the stream is done, and `produce` cleans up. An abort of `outer` is passed on with its reason.
 */
export function abortableStream<T>(
  produce: (signal: AbortSignal) => AsyncGenerator<T, void>,
  outer: AbortSignal | undefined,
): AsyncGenerator<T, void> {
  const controller = new AbortController();
  const passOn = (): void => controller.abort(outer?.reason);
  if (outer?.aborted === true) passOn();
  else outer?.addEventListener('abort', passOn, { once: true });
  const release = (): void => outer?.removeEventListener('abort', passOn);
  const source = produce(controller.signal);
  let left = false;
  const done = { done: true, value: undefined } as const;

  const stream: AsyncGenerator<T, void> = {
    async next() {
      if (left) return done;
      try {
        const result = await source.next();
        if (result.done === true) release();
        return left ? done : result;
      } catch (error) {
        release();
        if (left) return done;
        throw error;
      }
    },
    async return() {
      left = true;
      release();
      controller.abort(new DOMException('the stream was left', 'AbortError'));
      await source.return().catch(() => undefined);
      return done;
    },
    async throw(error: unknown) {
      await stream.return();
      throw error;
    },
    [Symbol.asyncIterator]: () => stream,
    [Symbol.asyncDispose]: async () => void (await stream.return()),
  };
  return stream;
}
