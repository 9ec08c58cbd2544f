// Connections that have to reach the server that was approved before a request goes over them. A server that ends closes its
// connections, so that one that was proven and is still open shows that the same server listens. Where there is none, the
// server is asked what it is: after the connection was opened, since between a proof and a connection another may take its place.
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { upstreamError } from './failure.js';
import type { Gates } from './gates.js';

/** What listens: the server that was approved, another one, or one that does not say what it is. */
export type ServerProof = 'same' | 'other' | 'unknown';

/** Asks what listens now, over connections of its own. */
export type ProveServer = () => Promise<ServerProof>;

/**
 * Turns of the event loop in which the end of a connection is seen that came before now. Node reads 2 MiB a turn, and the
 * kernel holds 6 MiB before an end (`net.ipv4.tcp_rmem` of Linux).
 */
const TURNS = 5;

/** Opens connections of the upstream `id` whose server is proven. Its requests fail with `replaced` where it is not. */
export function provenConnector(id: string, gates: Gates, prove: ProveServer): buildConnector.connector {
  const proven = new Set<Socket>();
  /** The server answered one question while no other connection was open, and none beside one. */
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

  /** Of a server that answers beside an open connection. */
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
          // Its end before it is handed over must not end the process.
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

/** Asks once for all that wait: who comes while a question is under way needs the next one, or what the first has shown. */
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
