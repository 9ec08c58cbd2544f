// Requests of the recorded corpus, sent byte by byte over a socket, and answers in the form in which they are compared.
import { connect } from 'node:net';

/** One request over HTTP. */
export interface HttpCase {
  /** Says what it is about; unique. */
  readonly name: string;
  /** Default: POST where there is a body, else GET. */
  readonly method?: string;
  readonly path: string;
  /** Fields besides Host, Connection and Content-Length; a Host of its own replaces the usual one. */
  readonly headers?: readonly (readonly [string, string])[];
  /** JSON, or text as it is. */
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
];

/** Sends one request on a connection of its own. */
export async function exchange(
  port: number,
  { name, method, path, headers = [], body }: HttpCase,
): Promise<HttpAnswer> {
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
  const bytes = Buffer.from(text, 'utf8');
  const given = new Set(headers.map(([field]) => field.toLowerCase()));
  const lines = [
    `${method ?? (body === undefined ? 'GET' : 'POST')} ${path} HTTP/1.1`,
    ...(given.has('host') ? [] : [`Host: 127.0.0.1:${port}`]),
    'Connection: close',
    ...headers.map(([field, value]) => `${field}: ${value}`),
    ...(body === undefined || given.has('transfer-encoding') ? [] : [`Content-Length: ${bytes.length}`]),
  ];
  const answer = await send(port, Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]));
  try {
    return toAnswer(answer, method === 'HEAD');
  } catch (error) {
    throw new Error(`${name}: the answer cannot be read: ${answer.toString('latin1').slice(0, 300)}`, { cause: error });
  }
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

function toAnswer(bytes: Buffer, isHead: boolean): HttpAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const lines = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const raw = bytes.subarray(end + 4);
  const isChunked = lines.some((line) => /^transfer-encoding: chunked$/i.test(line));
  const text = (isChunked ? joinChunks(raw) : raw).toString('utf8');
  const isStream = lines.some((line) => /^content-type: text\/event-stream/i.test(line));
  return {
    head: lines.map((line) =>
      line
        .replace(/^(x-request-id|date): .*/i, '$1: …')
        .replace(/^(content-length): .*/i, !isHead && isStable(text) ? '$&' : '$1: …'),
    ),
    body: isStream ? joinDeltas(text.split('\n\n').slice(0, -1)).map(replaceIds) : replaceIds(text),
  };
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
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (!(size > 0)) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

interface Chunk {
  readonly choices?: readonly Choice[];
}

interface Choice {
  readonly index: number;
  readonly finish_reason: unknown;
  readonly delta?: Record<string, unknown>;
  text?: string;
  logprobs: Record<string, unknown[]> | null;
}

/**
 * Events in the order of their choices, each choice's texts joined where several events only go on with one text. How many
 * tokens come in one event, and whose come first, depends on who runs when; all else of an event is compared as it is.
 */
export function joinDeltas(events: readonly string[]): string[] {
  const before: string[] = [];
  const after: string[] = [];
  const byChoice = new Map<number, (Chunk | string)[]>();
  for (const event of events) {
    const chunk = event.startsWith('data: {') ? (JSON.parse(event.slice(6)) as Chunk) : undefined;
    const [choice] = chunk?.choices ?? [];
    if (chunk === undefined || choice === undefined) {
      (byChoice.size > 0 ? after : before).push(event);
      continue;
    }
    const own = byChoice.get(choice.index) ?? [];
    byChoice.set(choice.index, own);
    const last = own.at(-1);
    if (typeof last === 'object' && goesOn(last.choices?.[0], choice)) continue;
    own.push(chunk);
  }
  const choices = [...byChoice].toSorted(([a], [b]) => a - b).flatMap(([, own]) => own);
  return [...before, ...choices.map((chunk) => `data: ${JSON.stringify(chunk)}`), ...after];
}

/** Adds `next` to `last` where both bring more of one text, and nothing else; whether it did. */
function goesOn(last: Choice | undefined, next: Choice): boolean {
  if (last === undefined || last.finish_reason !== null || next.finish_reason !== null) return false;
  const kind = textKind(last);
  if (kind === undefined || kind !== textKind(next)) return false;
  if ((last.logprobs === null) !== (next.logprobs === null)) return false;
  if (last.delta !== undefined && next.delta !== undefined) {
    for (const [field, text] of Object.entries(next.delta))
      last.delta[field] = `${String(last.delta[field])}${String(text)}`;
  } else last.text = `${last.text}${next.text}`;
  for (const [field, entries] of Object.entries(next.logprobs ?? {})) last.logprobs?.[field]?.push(...entries);
  return true;
}

/** `text`, or the names of a delta's only fields, where these are texts. */
function textKind({ delta, text }: Choice): string | undefined {
  if (delta === undefined) return text === undefined ? undefined : 'text';
  const fields = Object.keys(delta);
  const isText = fields.length > 0 && fields.every((field) => /^(content|reasoning|reasoning_content)$/.test(field));
  return isText && fields.every((field) => typeof delta[field] === 'string') ? fields.join() : undefined;
}
