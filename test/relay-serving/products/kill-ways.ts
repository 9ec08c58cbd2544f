// Answers whose client has them whole while their upstream goes on: a product that is killed in that moment has charged them.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { completion, type Play } from '../../gateway/serving/runtime.js';
import type { ProductProcess } from '../../support/product-process.js';

const STREAM_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const JSON_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const sized = (body: Uint8Array, fields = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${fields}Content-Length: ${body.length}\r\n\r\n`),
    body,
  ]);

const TOKEN = 'data: {"choices":[{"index":0,"delta":{"content":" a"},"finish_reason":null}]}\n\n';
const FINISH = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}\n\n';
const DONE = 'data: [DONE]\n\n';
const EVENT = (data: object): string => `event: x\ndata: ${JSON.stringify(data)}\n\n`;

/** A way to answer: what the upstream writes, one after the other, and how the client knows that it has all of it. */
export interface KillWay {
  readonly path: string;
  readonly pieces: readonly (string | Uint8Array)[];
  /** What the last piece ends with, as the client reads it; absent: the answer has a length, and is over. */
  readonly last?: string;
  readonly charged: Charged;
}

/** What is charged for an answer. Absent: whatever an estimate says. */
export interface Charged {
  readonly promptTokens?: number;
  readonly completionTokens: number;
  readonly isEstimated: boolean;
}

const told: Charged = { promptTokens: 9, completionTokens: 4, isEstimated: false };

/** Ways to answer, by what they are. */
export const killWays: Readonly<Record<string, KillWay>> = {
  'a stream, with its event of usage': {
    path: '/v1/chat/completions',
    pieces: [STREAM_HEAD, chunked(TOKEN), chunked(FINISH), chunked(USAGE)],
    last: USAGE,
    charged: told,
  },
  'a stream, with the line that ends it': {
    path: '/v1/chat/completions',
    pieces: [STREAM_HEAD, chunked(TOKEN), chunked(USAGE + DONE)],
    last: DONE,
    charged: told,
  },
  'a stream that tells no usage': {
    path: '/v1/chat/completions',
    pieces: [STREAM_HEAD, chunked(TOKEN), chunked(TOKEN), chunked(FINISH), chunked(DONE)],
    last: DONE,
    charged: { completionTokens: 2, isEstimated: true },
  },
  'a stream of responses': {
    path: '/v1/responses',
    pieces: [
      STREAM_HEAD,
      chunked(EVENT({ type: 'response.output_text.delta', delta: ' a' })),
      chunked(EVENT({ type: 'response.completed', response: { usage: { input_tokens: 9, output_tokens: 4 } } })),
    ],
    last: '"output_tokens":4}}}\n\n',
    charged: told,
  },
  'a stream of messages': {
    path: '/v1/messages',
    pieces: [
      STREAM_HEAD,
      chunked(EVENT({ type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } })),
      chunked(EVENT({ type: 'message_delta', usage: { output_tokens: 4 } })),
      chunked(EVENT({ type: 'message_stop' })),
    ],
    last: '"message_stop"}\n\n',
    charged: told,
  },
  'a whole answer with a length': {
    path: '/v1/chat/completions',
    pieces: [sized(Buffer.from(completion(9, 4)))],
    charged: told,
  },
  'a whole answer with a length, compressed': {
    path: '/v1/chat/completions',
    pieces: [sized(gzipSync(completion(9, 4)), 'Content-Encoding: gzip\r\n')],
    charged: told,
  },
  'a whole answer in chunks': {
    path: '/v1/chat/completions',
    pieces: [JSON_HEAD, chunked(completion(9, 4).slice(0, 40)), chunked(completion(9, 4).slice(40))],
    last: '"total_tokens":13}}',
    charged: told,
  },
  'an answer that is not read': {
    path: '/v1/other',
    pieces: [sized(Buffer.from('{"some":"thing"}'))],
    charged: { completionTokens: 0, isEstimated: true },
  },
};

/** Asks a product, and kills it in the turn in which the last of the answer came; the header of the answer. `before`: of its paths. */
export async function askAndKill(
  { child, port, ended }: ProductProcess,
  secret: string,
  { path, last }: KillWay,
  before = '',
): Promise<IncomingHttpHeaders> {
  const body = JSON.stringify({
    model: 'demo',
    ...(last !== undefined && { stream: true, stream_options: { include_usage: true } }),
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const headers = { authorization: `Bearer ${secret}`, 'content-length': String(body.length) };
  const got = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
    const to = { host: '127.0.0.1', port, method: 'POST', path: `${before}${path}`, headers };
    const request = httpRequest(to, (answer) => {
      const length = Number(answer.headers['content-length'] ?? Infinity);
      let [text, size] = ['', 0];
      answer.on('data', (piece: Buffer) => {
        text += piece.toString();
        size += piece.length;
        if (last === undefined ? size < length : !text.endsWith(last)) return;
        child.kill('SIGKILL');
        resolve(answer.headers);
      });
      answer.on('error', () => {});
    });
    request.on('error', reject);
    request.end(body);
  });
  await ended;
  return got;
}

/** Plays a way for an upstream. `isAtLast` is awaited before the last piece. */
export function playWay({ pieces }: KillWay, isAtLast: () => Promise<void> = () => Promise.resolve()): Play {
  return async (_, socket) => {
    for (const [i, piece] of pieces.entries()) {
      if (i === pieces.length - 1) await isAtLast();
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
}
