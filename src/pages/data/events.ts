/** Characters of one event at most: far above any delta, far below what a page can hold. */
export const MAX_EVENT_CHARS = 4 * 1024 * 1024;

/**
 * The data of each event of a stream, in order; comments and other fields are left out. Errors: of the stream, and an event over
 * `MAX_EVENT_CHARS`. Leaving early cancels the stream. Source: the HTML Standard, server-sent events, 9.2.6.
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
    // A stream that failed has nothing left to cancel.
    await reader.cancel().catch(() => {});
  }
}

/** Takes text as it comes, cut anywhere, and gives out the data of the events that it completes. */
export function createEventParser(): (piece: string) => string[] {
  let rest = '';
  let data: string[] = [];
  let chars = 0;
  return (piece) => {
    const events: string[] = [];
    const text = rest + piece;
    let start = 0;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
      // What follows may be its second half.
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
