// An upstream that says exactly the bytes that a test gives it, and a relay before it over a transport of src/http.
import { createServer, type Socket } from 'node:net';
import { request as send, type Agent } from 'node:http';
import { codeOf, type Clock } from '../../src/base/index.js';
import { readBody, streamBody, type HttpResponse, type Listener } from '../../src/http/index.js';
import {
  createUpstream,
  toResponse,
  toUpstreamFields,
  type ApiDialect,
  type ResponseOptions,
  type Upstream,
  type UpstreamLimits,
} from '../../src/relay/index.js';
import { startDeciding } from '../http/over-transports.js';

/** Answers one request, whose head and body came as `text` (latin1). */
export type Script = (text: string, socket: Socket) => void | Promise<void>;

/** An upstream at work. */
export interface RawUpstream extends AsyncDisposable {
  readonly url: string;
  /** Connections that are open. */
  readonly open: () => number;
}

/** Listens, and calls `script` for every request with a whole head and, where its length is given, a whole body. */
export async function startUpstream(script: Script): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let text = '';
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n') + 4;
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
      if (end === 3 || text.length < end + length) return;
      const request = text.slice(0, end + length);
      text = text.slice(end + length);
      void script(request, socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    open: () => sockets.size,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What a test's relay does beside passing bytes. */
export interface RelayOptions {
  readonly dialect?: ApiDialect;
  readonly response?: Partial<ResponseOptions>;
  readonly limits?: Partial<UpstreamLimits>;
  readonly clock?: Clock;
  /** Request bodies pass as they come. */
  readonly streams?: boolean;
}

/** A relay at work. */
export interface StartedRelay extends AsyncDisposable {
  readonly port: number;
  readonly listener: Listener;
  readonly upstream: Upstream;
}

/** Listens over a transport and relays everything to `url`. An error of the upstream is answered with 502 and its code. */
export async function startRelay(
  transport: 'node' | 'uws',
  url: string,
  options: RelayOptions = {},
): Promise<StartedRelay> {
  const { dialect, response, limits, clock, streams = false } = options;
  const upstream = await createUpstream({ id: 'test', baseUrl: url, limits, clock });
  const answer = async (
    head: Parameters<Parameters<typeof streamBody>[0]>[0] | Parameters<Parameters<typeof readBody>[0]>[0],
  ): Promise<HttpResponse> => {
    const { method, target, fields, body, contentLength, signal } = head;
    try {
      const isWhole = body instanceof Uint8Array;
      const hasBody = isWhole ? body.length > 0 : contentLength !== 0;
      const got = await upstream.request({
        method,
        target,
        fields: toUpstreamFields(fields),
        body: hasBody ? (isWhole ? [body] : body) : undefined,
        contentLength: isWhole ? undefined : contentLength,
        signal,
      });
      return toResponse(got, { method, dialect, ...response }).response;
    } catch (error) {
      return { status: 502, body: codeOf(error) ?? 'none' };
    }
  };
  const decide = streams ? streamBody(answer) : readBody(answer, { decode: false });
  const started = await startDeciding(transport, () => decide);
  const { listener, port } = started;
  return {
    port,
    listener,
    upstream,
    [Symbol.asyncDispose]: async () => {
      await started[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** An answer as Node's client reads it, nothing joined or decoded. */
export interface Received {
  readonly status: number;
  readonly fields: readonly (readonly [string, string])[];
  readonly trailers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** The connection broke before the end. */
  readonly isBroken: boolean;
}

/** Sends one request with Node's client. */
export function ask(
  port: number,
  method: string,
  path: string,
  body: string | Uint8Array = '',
  agent?: Agent,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const request = send({
      port,
      host: '127.0.0.1',
      method,
      path,
      agent,
      headers: { 'content-type': 'application/json', ...headers },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const pieces: Buffer[] = [];
      const done = (isBroken: boolean): void =>
        resolve({
          status: response.statusCode ?? 0,
          fields: pairs(response.rawHeaders),
          trailers: pairs(response.rawTrailers),
          body: Buffer.concat(pieces),
          isBroken,
        });
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => done(false));
      response.on('error', () => done(true));
    });
    request.end(body);
  });
}

function pairs(list: readonly string[]): (readonly [string, string])[] {
  return list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] ?? ''] as const] : []));
}
