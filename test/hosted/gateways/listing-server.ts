// A server with `GET /v1/models` that a test controls.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request that it got. */
export interface SeenRequest {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly etag: string | undefined;
}

/** How it answers. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A server on a port of its own. */
export interface ListingServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  /** From the next request on. */
  answer: Answer;
}

/** A list of models as servers give it. */
export function listOf(...ids: readonly string[]): Answer {
  return (response) => {
    const data = ids.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'test' }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }));
  };
}

/** A body, with whatever head. */
export function bodyOf(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Answer {
  return (response) => void response.writeHead(status, headers).end(body);
}

/** Starts one on 127.0.0.1. */
export async function startListing(answer: Answer): Promise<ListingServer> {
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const { authorization, 'if-none-match': etag } = request.headers;
    seen.push({ url: request.url ?? '', authorization, etag });
    listing.answer(response, request);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const listing: ListingServer = {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    answer,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return listing;
}
