import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Exchange, RequestHead, ResponseHead, TransportOptions, TransportServer } from '../exchange.js';
import { bindError } from '../bind-error.js';
import type { HeaderFields, WrittenResponse } from '../message.js';
import { readTls } from '../tls.js';

/** How often Node looks for connections whose header block is late; a second of the ten that it may take. */
const CHECK_MS = 1_000;
/** Connections that wait to be accepted: a burst of a thousand was reset with Node's 511. Linux caps it at net.core.somaxconn. */
const BACKLOG = 4_096;

/** HTTP/1.1 by node:http and node:https: everywhere, and the reference for the others. */
export async function listenNode(options: TransportOptions): Promise<TransportServer> {
  const { limits, tls } = options;
  const settings = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerMs,
    // The body's time is watched by our own progress rule, which suits long uploads.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, limits.headerMs),
    // Checked by us, over every transport alike.
    requireHostHeader: false,
    insecureHTTPParser: false,
    noDelay: true,
  };
  const server =
    tls === undefined
      ? createServer(settings)
      : createSecureServer({
          ...settings,
          ...(await readTls(tls)),
          ALPNProtocols: ['http/1.1'],
          handshakeTimeout: limits.headerMs,
        });
  // Above this count Node drops fields in silence; our own check must see them all.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  server.timeout = 0;

  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    socket.once('close', () => connections--);
  });

  const { onRequest, isAnswering } = createLines(options);
  server.on('request', (request, response) => onRequest(request, response, false));
  server.on('checkContinue', (request, response) => onRequest(request, response, true));
  server.on('checkExpectation', (request, response) => onRequest(request, response, false));
  server.on('clientError', (error, socket) => refuseConnection(error, socket, isAnswering(socket), options));
  await start(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    stopAccepting: () => {
      server.close();
      server.closeIdleConnections();
    },
    closeAll: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The requests of one connection, in the order sent. */
interface Line {
  readonly waiting: (() => void)[];
  busy: boolean;
}

/** Requests in their order. */
interface Lines {
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, waits: boolean) => void;
  /** Whether an answer is under way on a connection, to which nothing can be added. */
  readonly isAnswering: (socket: object) => boolean;
}

/** Hands on requests one at a time: one that was sent before the last answer waits for it, within a bound. */
function createLines({ limits, onExchange }: TransportOptions): Lines {
  const lines = new WeakMap<object, Line>();
  const onRequest: Lines['onRequest'] = (request, response, waits) => {
    const { socket } = request;
    const line = lines.get(socket) ?? { waiting: [], busy: false };
    lines.set(socket, line);
    response.once('close', () => {
      line.busy = false;
      line.waiting.shift()?.();
    });
    const begin = (): void => {
      if (socket.destroyed) return;
      line.busy = true;
      onExchange(new NodeExchange(request, response, waits));
    };
    if (!line.busy) begin();
    else if (line.waiting.length < limits.pipelined) line.waiting.push(begin);
    else socket.destroy();
  };
  return { onRequest, isAnswering: (socket) => lines.get(socket)?.busy === true };
}

type ParserCode = Parameters<TransportOptions['onParserRefusal']>[0];

/** What Node's errors of a connection mean; any other is a malformed request. */
const parserRefusals: ReadonlyMap<string | undefined, { readonly code: ParserCode; readonly message: string }> =
  new Map([
    ['HPE_HEADER_OVERFLOW', { code: 'headers_too_large', message: 'the header block of the request is too large' }],
    [
      'ERR_HTTP_REQUEST_TIMEOUT',
      { code: 'request_timeout', message: 'the header block of the request came too slowly' },
    ],
  ]);
const TLS_FAILURE = /^(?:ERR_SSL|ERR_TLS|EPROTO)/;
const MALFORMED = { code: 'request_malformed', message: 'the request cannot be read' } as const;

/** Ends a connection that Node's parser could not read, with an answer unless another is half written. */
function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  isAnswering: boolean,
  { onParserRefusal, toErrorResponse }: TransportOptions,
): void {
  // After a failed handshake nothing can be told.
  if (error.code === 'ECONNRESET' || !socket.writable || TLS_FAILURE.test(error.code ?? '')) {
    socket.destroy();
    return;
  }
  const { code, message } = parserRefusals.get(error.code) ?? MALFORMED;
  onParserRefusal(code);
  if (isAnswering) socket.destroy();
  else socket.end(rawAnswer(toErrorResponse({ code, message, details: {} })), () => socket.destroy());
}

/** An answer without Node's help, which has no response for what it could not read. */
function rawAnswer({ status, headers, body: text }: WrittenResponse): string {
  const fields = { ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(text)) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', text].join('\r\n');
}

function start(server: Server, { host, port, sharesPort }: TransportOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(bindError(error, host, port)));
    if (!mayListen()) {
      // `listen` would throw it later, where no caller can catch it.
      const denied = new Error("Node's permission model does not allow it: pass --allow-net");
      reject(bindError(denied, host, port));
      return;
    }
    // Types of Node 20 do not know it; `canSharePort` says which Node does.
    server.listen({ host, port, backlog: BACKLOG, ...(sharesPort && { reusePort: true }) }, resolve);
  });
}

/** False under a permission model that knows the network (Node 25 and later) and does not allow it. */
function mayListen(): boolean {
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  return permission?.has('net') !== false || !process.allowedNodeEnvironmentFlags.has('--allow-net');
}

function toHead(request: IncomingMessage): RequestHead {
  const raw = request.rawHeaders;
  const fields: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) fields.push([raw[i] ?? '', raw[i + 1] ?? '']);
  return {
    scheme: 'encrypted' in request.socket ? 'https' : 'http',
    method: request.method ?? '',
    target: request.url ?? '',
    version: request.httpVersion,
    fields,
    checksChunks: true,
  };
}

/** The socket's own error is followed by 'close', which says all that is needed. */
function ignore(): void {}

/** A class, since thousands may wait at once: as closures its methods took a kilobyte each. */
class NodeExchange implements Exchange {
  readonly head: RequestHead;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #waits: boolean;
  #isCorked = false;

  constructor(request: IncomingMessage, response: ServerResponse, waits: boolean) {
    this.head = toHead(request);
    this.#request = request;
    this.#response = response;
    this.#waits = waits;
    request.on('error', ignore);
    response.on('error', ignore);
  }

  get client(): string {
    return this.#request.socket.remoteAddress ?? '';
  }

  sendContinue(): void {
    if (this.#waits) this.#response.writeContinue();
  }

  receive(take: (piece: Uint8Array, last: boolean) => void): void {
    this.#request.on('data', (piece: Buffer) => take(piece, false));
    this.#request.on('end', () => take(new Uint8Array(0), true));
  }

  pause(): void {
    this.#request.pause();
  }

  resume(): void {
    this.#request.resume();
  }

  onClosed(run: (complete: boolean) => void): void {
    this.#response.on('close', () => run(this.#response.writableFinished));
  }

  onWritable(run: () => void): void {
    this.#response.on('drain', run);
  }

  send(head: ResponseHead, body: Uint8Array): void {
    this.#open(head);
    this.#response.end(head.bodiless ? undefined : body);
  }

  begin(head: ResponseHead): void {
    this.#open(head);
    // At once, but with a first piece that is ready in one packet: its reader is woken once.
    this.#isCorked = true;
    this.#response.cork();
    // Not `flushHeaders`, which writes the values as UTF-8.
    this.#response.write('', 'latin1');
    setImmediate(() => this.#uncork());
  }

  write(piece: Uint8Array): boolean {
    return this.#response.write(piece);
  }

  end(close: boolean, trailers: HeaderFields): void {
    // Node writes the end of a corked body before the pieces that it holds back.
    this.#uncork();
    const { socket } = this.#request;
    if (trailers.length > 0)
      this.#response.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]));
    this.#response.end(close ? () => socket.destroySoon() : undefined);
  }

  close(): void {
    this.#request.socket.destroy();
  }

  #uncork(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#response.uncork();
  }

  #open({ status, fields, contentLength, bodiless, close }: ResponseHead): void {
    if (close) this.#response.shouldKeepAlive = false;
    // As one list, which Node writes in its order and with what is in it twice.
    const { useChunkedEncodingByDefault: takesChunks } = this.#response;
    // Node throws on an announcement of trailers that no chunk can come before.
    const hasChunks = takesChunks && contentLength === undefined && !bodiless;
    const list = (hasChunks ? fields : fields.filter(([name]) => name.toLowerCase() !== 'trailer')).flat();
    if (contentLength !== undefined) list.push('content-length', String(contentLength));
    this.#response.writeHead(status, list);
  }
}
