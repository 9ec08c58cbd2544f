// Model servers of tests, which say the bytes that a test gives them and remember what they were asked.
import type { Socket } from 'node:net';
import { present } from '../../../src/base/index.js';
import { startUpstream, type RawUpstream } from '../../relay/raw-upstream.js';

/** A request as a runtime got it; bytes as latin1. */
export interface Asked {
  readonly method: string;
  readonly target: string;
  readonly fields: readonly (readonly [string, string])[];
  readonly body: string;
}

/** What a runtime does with a request that is no probe. */
export type Play = (asked: Asked, socket: Socket) => void | Promise<void>;

/** A runtime at work. */
export interface TestRuntime extends RawUpstream {
  /** What it was asked, but for probes. */
  readonly asked: readonly Asked[];
}

/** What a probe gets. */
const MODELS = '{"object":"list","data":[{"id":"up","object":"model","created":0,"owned_by":"me"}]}';

/** Starts one. It answers probes by itself; while `isThere` says no, it drops every connection. */
export async function startRuntime(play: Play, isThere = (): boolean => true): Promise<TestRuntime> {
  const asked: Asked[] = [];
  const upstream = await startUpstream((text, socket) => {
    if (!isThere()) return void socket.destroy();
    const request = toAsked(text);
    if (request.method === 'GET' && request.target === '/v1/models') return void socket.write(whole(MODELS));
    asked.push(request);
    return play(request, socket);
  });
  return { ...upstream, asked };
}

function toAsked(text: string): Asked {
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...rest] = text.slice(0, end).split('\r\n');
  const [method = '', target = ''] = line.split(' ');
  const fields = rest.map((field) => {
    const at = field.indexOf(':');
    return [field.slice(0, at), field.slice(at + 1).trim()] as const;
  });
  return { method, target, fields, body: text.slice(end + 4) };
}

/** The value of a field that a runtime got; undefined: it did not. */
export function fieldOf({ fields }: Asked, name: string): string | undefined {
  return fields.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** A whole answer as it goes over the wire. */
export function whole(body: string | Uint8Array, status = 200, fields: readonly string[] = []): Buffer {
  const bytes = Buffer.from(body);
  const type = fields.some((field) => /^content-type:/i.test(field)) ? [] : ['Content-Type: application/json'];
  const head = [`HTTP/1.1 ${status} X`, ...type, ...fields, `Content-Length: ${bytes.length}`, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** A whole chat completion of so many tokens. */
export function completion(promptTokens: number, completionTokens: number): string {
  const usage = usageOf(promptTokens, completionTokens);
  return `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":${usage}}`;
}

function usageOf(promptTokens: number, completionTokens: number): string {
  return `{"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},"total_tokens":${promptTokens + completionTokens}}`;
}

/** A stream that a runtime writes event by event. */
export interface EventWriter {
  /** One token of the completion, in a chunk of its own. */
  token(): void;
  usage(promptTokens: number, completionTokens: number): void;
  write(text: string): void;
  /** With the last event and the last chunk. */
  end(): void;
}

/** Begins a stream of a chat in chunks. */
export function openEvents(socket: Socket, type = 'text/event-stream'): EventWriter {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const write = (text: string): void => {
    if (!socket.destroyed) socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  };
  return {
    write,
    token: () => write('data: {"id":"c","choices":[{"index":0,"delta":{"content":" a"}}]}\n\n'),
    usage: (prompt, tokens) => write(`data: {"id":"c","choices":[],"usage":${usageOf(prompt, tokens)}}\n\n`),
    end: () => {
      write('data: [DONE]\n\n');
      if (!socket.destroyed) socket.write('0\r\n\r\n');
    },
  };
}

/** Answers every request with the same whole answer. */
export function always(body: string, status = 200, fields: readonly string[] = []): Play {
  return (_, socket) => void socket.write(whole(body, status, fields));
}

/** The request that a runtime got last. */
export function lastOf({ asked }: TestRuntime): Asked {
  return present(asked.at(-1), 'the runtime was asked');
}
