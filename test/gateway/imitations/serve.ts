// Servers on a free port of this machine that answer as an imitation says, and remember what they were asked.
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { pageAt, type Imitation } from './pages.js';

/** A server that listens. */
export interface Served extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly asked: readonly { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** Connections that were ever taken. */
  readonly numConnections: () => number;
}

/** An imitation on a free port, or on `port`. */
export function serveImitation(imitation: Imitation, port = 0, host = '127.0.0.1'): Promise<Served> {
  return serveHttp(
    (request, response) => {
      const { status = 200, type = 'application/json', headers, body } = pageAt(imitation, request.url ?? '');
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': type, ...imitation.headers, ...headers });
      response.end(text);
    },
    port,
    host,
  );
}

/** An HTTP server with a handler of its own. */
export function serveHttp(handle: RequestListener, port = 0, host = '127.0.0.1'): Promise<Served> {
  const asked: { method: string; path: string; headers: IncomingHttpHeaders }[] = [];
  const server = createHttpServer((request, response) => {
    asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    handle(request, response);
  });
  return serve(server, asked, port, host);
}

/** A server of plain connections. */
export function serveTcp(handle: (socket: Socket) => void): Promise<Served> {
  return serve(createTcpServer(handle), []);
}

async function serve(server: Server, asked: Served['asked'], port = 0, host = '127.0.0.1'): Promise<Served> {
  const open = new Set<Socket>();
  let numConnections = 0;
  server.on('connection', (socket: Socket) => {
    numConnections++;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port: taken,
    url: `http://${host}:${taken}`,
    asked,
    numConnections: () => numConnections,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
