// A runtime that misbehaves in the way that the model of a request is named for.
import type { Socket } from 'node:net';
import { startUpstream, type RawUpstream } from '../relay/raw-upstream.js';

/** What an upstream does with a chat, given its socket. */
export type Fault = (socket: Socket, request: string) => void | Promise<void>;

/** Chats that came, by the name of their model. */
export interface FaultyUpstream extends RawUpstream {
  readonly asked: ReadonlyMap<string, number>;
}

/** A whole answer. */
export function whole(body: string, fields: readonly string[] = [], status = '200 OK'): string {
  const type = fields.some((field) => /^content-type:/i.test(field)) ? [] : ['Content-Type: application/json'];
  const length = `Content-Length: ${Buffer.byteLength(body, 'latin1')}`;
  return [`HTTP/1.1 ${status}`, ...type, ...fields, length, '', body].join('\r\n');
}

/** The head of a stream of events whose end is that of its connection. */
export const streamHead = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n';
/** The same in chunks. */
export const chunkedHead = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';

/** One token, as runtimes stream it. */
export const tokenEvent = 'data: {"choices":[{"index":0,"delta":{"content":"tok"}}]}\n\n';

/** One chunk of a chunked body. */
export function chunk(text: string): string {
  return `${Buffer.byteLength(text, 'latin1').toString(16)}\r\n${text}\r\n`;
}

/** An answer as runtimes give it, with its usage. */
export const goodAnswer = whole(
  JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  }),
);

/** Starts a runtime that has `faults` by the names of models, and lists the models that are `listed`. */
export async function startFaulty(
  faults: Readonly<Record<string, Fault>>,
  listed: readonly string[] = [],
): Promise<FaultyUpstream> {
  const asked = new Map<string, number>();
  const models = whole(
    JSON.stringify({ object: 'list', data: listed.map((id) => ({ id, object: 'model', created: 1 })) }),
  );
  const upstream = await startUpstream((text, socket) => {
    if (text.startsWith('GET /v1/models ')) {
      socket.write(models);
      return undefined;
    }
    const model = /"model":"([^"]*)"/.exec(text)?.[1] ?? '';
    asked.set(model, (asked.get(model) ?? 0) + 1);
    return faults[model]?.(socket, text);
  });
  return { ...upstream, asked };
}

/** Writes `bytes` as often as `socket` takes them, until it is closed or `totalBytes` were written. */
export async function pour(socket: Socket, bytes: string, totalBytes = Infinity): Promise<void> {
  const piece = Buffer.from(bytes, 'latin1');
  let closed = false;
  socket.once('close', () => (closed = true));
  for (let sent = 0; sent < totalBytes && !closed; sent += piece.length) {
    if (socket.write(piece)) {
      // Others have their turn, though the socket takes all.
      if (sent % (piece.length * 16) === 0) await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    await new Promise<void>((resolve) => {
      const go = (): void => {
        socket.off('drain', go);
        socket.off('close', go);
        resolve();
      };
      socket.once('drain', go);
      socket.once('close', go);
    });
  }
}
