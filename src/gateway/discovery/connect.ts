import { connect as openSocket, type Socket } from 'node:net';
import { hasErrorCode, systemClock, type Clock } from '../../base/index.js';
import type { ContactAddress } from './target.js';

/**
 * A connection, or why it failed: `closed` was refused, `silent` did not answer, `exhausted`: this process has no
 * descriptors left.
 */
export type ProbeConnection = Socket | 'closed' | 'silent' | 'exhausted';

/** When the attempt ends. */
export interface ConnectOptions {
  readonly connectMs: number;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Calls `act` after events that have already arrived. When the system paused this process, its timers expire before it
 * reads its sockets, although all answers came in time.
 */
export function afterArrivals(act: () => void): void {
  // Two turns: the first poll of the sockets connects or reads, and the second delivers the bytes.
  setImmediate(() => setImmediate(act));
}

/** Connects to the address of `target` without resolving a name. The caller destroys the socket. */
export function connect(
  target: ContactAddress,
  { connectMs, signal, clock = systemClock }: ConnectOptions,
): Promise<ProbeConnection> {
  if (signal.aborted) return Promise.resolve('silent');
  return new Promise((resolve) => {
    const socket = openSocket({ host: target.address, port: target.port, noDelay: true });
    let isSettled = false;
    const settle = (result: ProbeConnection): void => {
      if (isSettled) return;
      isSettled = true;
      cancel();
      signal.removeEventListener('abort', onAbort);
      socket.off('connect', onConnect);
      if (result !== socket) socket.destroy();
      resolve(result);
    };
    const onConnect = (): void => settle(socket);
    const onAbort = (): void => settle('silent');
    const cancel = clock.after(connectMs, () => afterArrivals(onAbort));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('connect', onConnect);
    // It stays: errors of a socket that waits for its request must not end the process.
    socket.on('error', (error) => {
      if (hasErrorCode(error, 'EMFILE', 'ENFILE', 'ENOBUFS')) settle('exhausted');
      else settle(hasErrorCode(error, 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN') ? 'silent' : 'closed');
    });
  });
}
