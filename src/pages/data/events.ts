/** The most characters of one event: far above any delta, far below the memory of a page. */
export const MAX_EVENT_CHARS = 4 * 1024 * 1024;

/**
 * Yields the data of each event of a stream, in order, without comments and other fields. Errors: those of the stream,
 * and an event over `MAX_EVENT_CHARS`. Leaving early cancels the stream. Source: the HTML Standard, server-sent events,
 * 9.2.6.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const parse = createEventParser();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    // A failed stream has nothing to cancel.
    await reader.cancel().catch(() => {});
  }
}

/** Creates a parser that takes text in arbitrary pieces and returns the data of each completed event. */
export function createEventParser(): (piece: string) => string[] {
  let rest = '';
  let data: string[] = [];
  let chars = 0;
  return (piece) => {
    const events: string[] = [];
    const text = rest + piece;
    let start = 0;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
      // The next piece may begin with the \n of this line end.
      if (end === '\r' && index === text.length - 1) break;
      const line = text.slice(start, index);
      start = index + end.length;
      if (line === '') {
        if (data.length > 0) events.push(data.join('\n'));
        data = [];
        chars = 0;
      } else if (line.startsWith('data:')) {
        const value = line.slice(line.startsWith(' ', 5) ? 6 : 5);
        chars += value.length;
        data.push(value);
      }
    }
    rest = text.slice(start);
    if (chars + rest.length > MAX_EVENT_CHARS) {
      throw new Error(`an event of the answer has more than ${MAX_EVENT_CHARS} characters`);
    }
    return events;
  };
}
