// Requests of Ollama's API and what each is answered with, word for word, but for times and sizes.
import { readFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import type { Serving } from '../serving.js';

/** A request and its answer: a JSON body, the lines of a stream, or text. */
export interface Golden extends Sent {
  readonly status: number;
  readonly type: string;
  readonly answer: unknown;
}

/** What is sent. */
export interface Sent {
  readonly name: string;
  readonly path: string;
  /** Default POST. */
  readonly method?: string;
  readonly text?: string;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}

/** The recorded requests of a file in test/vectors/server. */
export function readGolden(file: string): readonly Golden[] {
  return JSON.parse(readFileSync(joinPath(process.cwd(), 'test/vectors/server', file), 'utf8')) as Golden[];
}

/** Sends a request and reads its answer as the file has it. */
export async function answerOf(
  { url }: Pick<Serving, 'url'>,
  { method = 'POST', path, headers, json, text }: Sent,
): Promise<Pick<Golden, 'status' | 'type' | 'answer'>> {
  const body = text ?? (json === undefined ? undefined : JSON.stringify(json));
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, answer: readBody(type, await response.text()) };
}

function readBody(type: string, text: string): unknown {
  if (type.startsWith('application/json')) return text === '' ? '' : settle(JSON.parse(text));
  if (!type.startsWith('application/x-ndjson')) return text;
  const lines = text.trimEnd().split('\n');
  return joinPieces(lines.map((line) => settle(JSON.parse(line)) as Piece));
}

/** A line of a stream. */
interface Piece {
  readonly done: boolean;
  readonly response?: string;
  readonly thinking?: string;
  readonly message?: { readonly content: string; readonly thinking?: string; readonly tool_calls?: unknown };
}

/** How text is cut into pieces depends on the machine: neighbours of one kind are joined. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  return pieces.reduce<Piece[]>((joined, piece) => {
    const last = joined.at(-1);
    if (last === undefined || kindOf(last) === '' || kindOf(last) !== kindOf(piece)) return [...joined, piece];
    return [...joined.slice(0, -1), { ...piece, ...join(last, piece), ...joinMessages(last, piece) }];
  }, []);
}

/** '': it stays alone. */
function kindOf({ done, response, thinking, message }: Piece): string {
  if (done || message?.tool_calls !== undefined) return '';
  return (message?.thinking ?? thinking) === undefined ? `text ${response === undefined}` : 'thinking';
}

type Texts = Pick<Piece, 'response' | 'thinking'> & { readonly content?: string };

function join(a: Texts, b: Texts): Texts {
  return {
    ...(a.response !== undefined && { response: a.response + (b.response ?? '') }),
    ...(a.content !== undefined && { content: a.content + (b.content ?? '') }),
    ...(a.thinking !== undefined && { thinking: a.thinking + (b.thinking ?? '') }),
  };
}

function joinMessages({ message: a }: Piece, { message: b }: Piece): Pick<Piece, 'message'> | undefined {
  return a && b && { message: { ...b, ...join(a, b), content: a.content + b.content } };
}

/** What is another each time: replaced by its form, so that a wrong form shows. */
function settle(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => settle(item, key));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, settle(item, name)]));
  }
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(value)) return 'TIME';
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return 'DIGEST';
  if (typeof value === 'string' && /^call_[0-9a-f]{24}$/.test(value)) return 'CALL';
  if (key.endsWith('_duration') && Number.isSafeInteger(value) && Number(value) >= 0) return 'NANOSECONDS';
  if (key === 'size' && Number.isSafeInteger(value) && Number(value) > 0) return 'BYTES';
  if (key === 'logprob' && typeof value === 'number' && value <= 0) return 'LOGPROB';
  if ((key === 'embeddings' || key === 'embedding') && typeof value === 'number') return 'NUMBER';
  return value;
}
