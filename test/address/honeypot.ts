import { connect, createServer, type AddressInfo } from 'node:net';

/** A listener on every address of this machine, also on addresses that only look like others. No connection may reach it. */
export interface Honeypot extends AsyncDisposable {
  readonly port: number;
  /** Connections since the last call of `forget`. */
  readonly visits: number;
  forget(): void;
  /** Connects, so that it is known to hear. */
  visit(): Promise<void>;
}

/** Starts one. */
export async function startHoneypot(): Promise<Honeypot> {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.on('error', () => {});
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get visits() {
      return visits;
    },
    forget: () => void (visits = 0),
    visit: () =>
      new Promise((resolve) =>
        connect({ host: '0.0.0.0', port })
          .once('close', () => resolve())
          .resume(),
      ),
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
