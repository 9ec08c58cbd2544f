// The clients of the server's bench, in a process of their own: started by index.ts, told over IPC what to ask. They speak
// HTTP over bare sockets, because they run on the engine's cores: what a client library costs there is not the server's.

import { on, once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Streams to open at once, each with its own prompt. */
export interface Load {
  readonly port: number;
  readonly bodies: readonly string[];
}

/** What came of them. */
export interface LoadResult {
  readonly wallMs: number;
  /** From the request to the first text of each stream. */
  readonly firstMs: readonly number[];
  readonly completionTokens: number;
}

const FIRST_TEXT = '"text":';
/** The last event, and the end of a chunked body. */
const END = /data: \[DONE\]\n\n\r\n0\r\n\r\n$/;
/** More than the last events, which tell the usage, are long. */
const TAIL = 1000;
const idle: Socket[] = [];

async function openSocket(port: number): Promise<Socket> {
  const socket = idle.pop() ?? connect({ port, host: '127.0.0.1', noDelay: true });
  if (socket.connecting) await once(socket, 'connect');
  return socket;
}

/** One stream, read to its end; resolves with the time of its first text and its tokens. */
async function readStream(port: number, body: string): Promise<{ firstMs: number; tokens: number }> {
  const socket = await openSocket(port);
  const lines = ['POST /v1/completions HTTP/1.1', `host: 127.0.0.1:${port}`, 'content-type: application/json'];
  const start = performance.now();
  socket.write(`${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  let firstMs = 0;
  let tail = '';
  for await (const [bytes] of on(socket, 'data', { close: ['close'] }) as AsyncIterable<[Buffer]>) {
    if (firstMs === 0 && bytes.includes(FIRST_TEXT)) firstMs = performance.now() - start;
    tail = (tail + bytes.toString('latin1')).slice(-TAIL);
    if (END.test(tail)) break;
  }
  const [, tokens] = /"completion_tokens":(\d+)/.exec(tail) ?? [];
  if (!END.test(tail) || tokens === undefined) throw new Error(`it ended with ${tail}`);
  idle.push(socket);
  return { firstMs, tokens: Number(tokens) };
}

process.on('message', ({ port, bodies }: Load) => {
  void (async () => {
    const start = performance.now();
    const streams = await Promise.all(bodies.map((body) => readStream(port, body)));
    const result: LoadResult = {
      wallMs: performance.now() - start,
      firstMs: streams.map(({ firstMs }) => firstMs),
      completionTokens: streams.reduce((sum, { tokens }) => sum + tokens, 0),
    };
    process.send?.(result);
  })();
});
