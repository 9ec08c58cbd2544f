// Readers of framed streams that get their text in pieces, by media type.

/** What was read of a stream. */
export interface ReadFrames {
  readonly objects: unknown[];
  /** Its end was told, by the word that a format has for it or by the end of the text. */
  readonly isEnded: boolean;
}

/** Server-sent events: lines, an event ends with an empty one. Source: WHATWG HTML, 9.2.6. */
function readEvents(pieces: readonly string[]): ReadFrames {
  const objects: unknown[] = [];
  let isEnded = false;
  let line = '';
  let data: string[] = [];
  let name: string | undefined;
  for (const letter of pieces.flatMap((piece) => [...piece])) {
    if (letter !== '\n' && letter !== '\r') {
      line += letter;
      continue;
    }
    if (line.startsWith('data: ')) data.push(line.slice('data: '.length));
    else if (line.startsWith('event: ')) name = line.slice('event: '.length);
    else if (line === '' && data.length > 0) {
      const event = data.join('\n');
      if (event === '[DONE]') isEnded = true;
      else if (name !== 'ping') objects.push(readObject(event, name));
      data = [];
      name = undefined;
    } else if (line !== '' && !line.startsWith(':')) throw new Error(`a line that is no field: ${line}`);
    line = '';
  }
  return { objects, isEnded };
}

/** The object of an event, which is called by its type if it is called anything. */
function readObject(json: string, name: string | undefined): unknown {
  const object = JSON.parse(json) as { type?: string };
  if (name !== undefined && name !== object.type) throw new Error(`an event ${name} with an object ${object.type}`);
  return object;
}

/** Newline-delimited JSON: an object ends with its line, the stream with its text. */
function readLines(pieces: readonly string[]): ReadFrames {
  const lines = pieces.join('').split('\n');
  const rest = lines.pop();
  return { objects: lines.map((line): unknown => JSON.parse(line)), isEnded: rest === '' };
}

/** How the text of a media type is read. */
export const frameReaders: Readonly<Record<string, (pieces: readonly string[]) => ReadFrames>> = {
  'text/event-stream; charset=utf-8': readEvents,
  'application/x-ndjson': readLines,
};
