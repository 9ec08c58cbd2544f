import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A proxy that makes tunnels, for names that nothing else resolves. */
export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  /** What was asked of it, `host:port`, with its credentials. */
  readonly asked: { readonly authority: string; readonly authorization: string | undefined }[];
}

/** Starts one; `ports` says where each host is on this machine. Others are refused with 403. */
export async function startProxy(ports: ReadonlyMap<string, number>): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'][number][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => response.writeHead(400).end());
  server.on('connect', (request, client: Socket, head: Buffer) => {
    const authority = request.url ?? '';
    asked.push({ authority, authorization: request.headers['proxy-authorization'] });
    const port = ports.get(authority.split(':')[0] ?? '');
    sockets.add(client);
    client.on('error', () => client.destroy());
    if (port === undefined) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
