// A provider that keeps its own count of the tokens that it produced and reported.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { CASE, CUT_AFTER, fateOf, tokensOf } from './fates.js';

/** The provider's record of one request. */
export interface Produced {
  /** How often it was asked. */
  arrivals: number;
  /** Tokens of a stream that were written. */
  tokens: number;
  /** Its usage was written. */
  isTold: boolean;
  /** All of its answer was written. */
  isWhole: boolean;
  /** When nothing more was to be written, or its connection ended; milliseconds since 1970. */
  endedMs: number | undefined;
}

/** A provider at work. */
export interface ChaosProvider extends AsyncDisposable {
  readonly url: string;
  /** By the numbers of requests. */
  readonly produced: ReadonlyMap<number, Produced>;
  /** Resolves when a request has come. */
  arrived(index: number): Promise<void>;
}

/** Starts one. */
export async function startProvider(): Promise<ChaosProvider> {
  const produced = new Map<number, Produced>();
  const waiting = new Map<number, () => void>();
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const index = Number(request.headers[CASE]);
      const its = produced.get(index) ?? { arrivals: 0, tokens: 0, isTold: false, isWhole: false, endedMs: undefined };
      its.arrivals++;
      produced.set(index, its);
      waiting.get(index)?.();
      waiting.delete(index);
      response.once('close', () => (its.endedMs ??= Date.now()));
      void answer(index, its, response);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    produced,
    arrived: (index) =>
      produced.has(index) ? Promise.resolve() : new Promise((resolve) => waiting.set(index, resolve)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(index: number, its: Produced, response: ServerResponse): Promise<void> {
  const fate = fateOf(index);
  // The node ends it when its client has left.
  if (fate === 'early') return;
  if (fate === 'fails') {
    response.statusCode = 500;
    response.end('{"error":{"message":"it fails"}}');
    return;
  }
  const { prompt, completion } = tokensOf(index);
  const usage = `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${prompt + completion}}`;
  if (fate === 'whole') {
    response.setHeader('content-type', 'application/json');
    response.end(`{"choices":[{"index":0,"message":{"role":"assistant","content":"a"}}],"usage":${usage}}`);
    Object.assign(its, { isTold: true, isWhole: true });
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  for (let i = 0; i < completion; i++) {
    if (response.destroyed) return;
    response.write('data: {"choices":[{"index":0,"delta":{"content":" a"},"finish_reason":null}]}\n\n');
    its.tokens++;
    if (i % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    if (fate === 'cut' && its.tokens === CUT_AFTER) return void response.destroy();
  }
  if (response.destroyed) return;
  response.write('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n');
  if (fate !== 'untold') {
    response.write(`data: {"choices":[],"usage":${usage}}\n\n`);
    its.isTold = true;
  }
  response.end('data: [DONE]\n\n');
  its.isWhole = true;
}
