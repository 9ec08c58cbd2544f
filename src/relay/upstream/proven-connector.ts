// Connections that must reach the approved server before they carry a request. A server that ends closes its connections, so an
// open proven connection shows that the same server listens. Without one, the server is asked for its identity after the
// connection was opened: between a proof and a later connection another server may take its port.
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { upstreamError } from './failure.js';
import type { Gates } from './gates.js';

/** Which server listens: the approved one, another one, or one that does not identify itself. */
export type ServerProof = 'same' | 'other' | 'unknown';

/** Identifies the listening server over separate connections. */
export type ProveServer = () => Promise<ServerProof>;

/**
 * Turns of the event loop after which an earlier end of a connection has been noticed. Node reads 2 MiB a turn, and the kernel
 * holds 6 MiB before an end (`net.ipv4.tcp_rmem` of Linux).
 */
const TURNS = 5;

/** Opens connections of the upstream `id` whose server is proven. Its requests fail with `replaced` where it is not. */
export function provenConnector(id: string, gates: Gates, prove: ProveServer): buildConnector.connector {
  const proven = new Set<Socket>();
  /** The server answers the question only while no other connection is open. */
  let isOneByOne = false;

  const hasOpen = (): boolean =>
    [...proven].some((socket) => !socket.destroyed && !socket.readableEnded && gates.isReading(socket));

  const ask = joinedProof(prove, hasOpen);

  const keep = (socket: Socket): Socket => {
    if (socket.destroyed) throw upstreamError(id, 'closed_early');
    proven.add(socket);
    socket.once('close', () => proven.delete(socket));
    return socket;
  };

  /** For a server that answers beside an open connection. */
  const openThenProve = async (open: () => Promise<Socket>): Promise<Socket | undefined> => {
    const socket = await open();
    try {
      await turns(TURNS);
      const proof = hasOpen() ? 'same' : await ask();
      if (proof === 'same') return keep(socket);
      socket.destroy();
      if (proof === 'other') throw upstreamError(id, 'replaced');
      return undefined;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };

  const proveThenOpen = async (open: () => Promise<Socket>): Promise<Socket> => {
    if (!hasOpen() && (await ask()) !== 'same') throw upstreamError(id, 'replaced');
    return keep(await open());
  };

  return (options, callback) => {
    const open = (): Promise<Socket> =>
      new Promise((resolve, reject) => {
        gates.connector(options, (...[error, socket]) => {
          if (error !== null) return reject(error);
          // An error before the socket is handed over must not end the process.
          socket.on('error', () => {});
          resolve(socket);
        });
      });
    const connect = async (): Promise<Socket> => {
      const socket = isOneByOne ? undefined : await openThenProve(open);
      if (socket !== undefined) return socket;
      const late = await proveThenOpen(open);
      isOneByOne = true;
      return late;
    };
    connect().then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error as Error, null),
    );
  };
}

/**
 * Asks once for all waiting connections. A connection that comes during a question takes the next one, or a proof that the first
 * has shown.
 */
function joinedProof(prove: ProveServer, isShown: () => boolean): ProveServer {
  let running: Promise<ServerProof> | undefined;
  let next: Promise<ServerProof> | undefined;
  const start = (): Promise<ServerProof> => {
    const started = prove().finally(() => {
      if (running === started) running = undefined;
    });
    running = started;
    return started;
  };
  const startNext = (): Promise<ServerProof> => {
    next = undefined;
    return isShown() ? Promise.resolve('same') : start();
  };
  return () => (running === undefined ? start() : (next ??= running.then(startNext, startNext)));
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
