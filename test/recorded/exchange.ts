// Requests of the recorded corpus, sent byte by byte over a socket, and answers in the form in which they are compared.
import { connect } from 'node:net';
import { joinDeltas } from './join-deltas.js';

/** One request over HTTP. */
export interface HttpCase {
  /** Says what it is about; unique. */
  readonly name: string;
  /** Default: POST where there is a body, else GET. */
  readonly method?: string;
  readonly path: string;
  /** Fields besides Host, Connection and Content-Length; a Host of its own replaces the usual one. */
  readonly headers?: readonly (readonly [string, string])[];
  /** JSON; text and bytes are sent as they are. */
  readonly body?: unknown;
}

/** An answer: ids and times are replaced, pieces of a stream that timing may cut otherwise are joined. */
export interface HttpAnswer {
  readonly head: readonly string[];
  /** Text of a whole body, or the events of a stream. */
  readonly body: string | readonly string[];
}

const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/"(id|request_id)":"(chatcmpl|cmpl|req)-[0-9a-zA-Z-]+"/g, '"$1":"$2-ID"'],
  [/call_[0-9a-zA-Z]{8,}/g, 'call_ID'],
  [/"created":\d+/g, '"created":0'],
  [/"(uptime_ms|uptimeMs|last_used|lastUsed)":[\d.]+/g, '"$1":0'],
  [/127\.0\.0\.1:\d+|localhost:\d+/g, 'HOST'],
  // Node 24 and later also know zstd.
  [/gzip, deflate, br(?:, zstd)?(?=")/g, 'gzip, deflate, br …'],
  // Metrics that say how long, how large or how many at this moment; counts of requests and tokens stay.
  [/^(\w*(?:seconds?|bytes|connections|requests_running)(?:_\w+)?(?:\{[^}\n]*\})?) [\d.e+-]+$/gm, '$1 N'],
];

/** Sends one request on a connection of its own. */
export async function exchange(
  port: number,
  { name, method, path, headers = [], body }: HttpCase,
): Promise<HttpAnswer> {
  const bytes = toBytes(body);
  const given = new Map(headers.map(([field, value]) => [field.toLowerCase(), value]));
  const lines = [
    `${method ?? (body === undefined ? 'GET' : 'POST')} ${path} HTTP/1.1`,
    ...(given.has('host') ? [] : [`Host: 127.0.0.1:${port}`]),
    'Connection: close',
    ...headers.map(([field, value]) => `${field}: ${value}`),
    ...(body === undefined || given.has('transfer-encoding') || given.has('content-length')
      ? []
      : [`Content-Length: ${bytes.length}`]),
  ];
  const answer = await send(port, Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]));
  try {
    return toAnswer(answer, method === 'HEAD', given.get('x-request-id'));
  } catch (error) {
    throw new Error(`${name}: the answer cannot be read: ${answer.toString('latin1').slice(0, 300)}`, { cause: error });
  }
}

function toBytes(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''), 'utf8');
}

async function send(port: number, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', (error) => (pieces.length > 0 ? resolve(Buffer.concat(pieces)) : reject(error)));
    socket.on('close', () => resolve(Buffer.concat(pieces)));
  });
}

function toAnswer(bytes: Buffer, isHead: boolean, sentId?: string): HttpAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const lines = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const raw = bytes.subarray(end + 4);
  const isChunked = lines.some((line) => /^transfer-encoding: chunked$/i.test(line));
  const text = (isChunked ? joinChunks(raw) : raw).toString('utf8');
  const isStream = lines.some((line) => /^content-type: text\/event-stream/i.test(line));
  return {
    head: lines.map((line) =>
      line
        .replace(/^(x-request-id|date): (.*)/i, (field, name: string, value: string) =>
          value === sentId ? field : `${name}: …`,
        )
        .replace(/^(content-length): .*/i, !isHead && isStable(text) ? '$&' : '$1: …'),
    ),
    body: isStream ? joinDeltas(eventsOf(text)).map(replaceIds) : replaceIds(text),
  };
}

/** Each event ends with a blank line; what comes after the last one is kept, since nothing should. */
function eventsOf(text: string): string[] {
  const events = text.split('\n\n');
  return events.at(-1) === '' ? events.slice(0, -1) : events;
}

/** Whether its length tells nothing of ids and times. */
function isStable(text: string): boolean {
  return replaceIds(text) === text;
}

/** Ids and times replaced by words. */
export function replaceIds(text: string): string {
  return REPLACED.reduce((replaced, [pattern, by]) => replaced.replace(pattern, by), text);
}

function joinChunks(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (size === 0 && bytes.subarray(lineEnd).equals(Buffer.from('\r\n\r\n'))) return Buffer.concat(pieces);
    if (!(size > 0)) throw new Error('its chunks do not end as they should');
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
