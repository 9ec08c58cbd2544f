import { createServer } from 'node:net';
import { hasErrorCode, isError } from '../base/index.js';
import { bindError } from './bind-error.js';

/**
 * Whether a server could listen there, found out by listening for a moment. Returns a warning where another process has the
 * port now: it may be the server whose file is checked. Errors: `address_unavailable`, as the server would have it.
 */
export async function checkListen(host: string, port: number): Promise<string | undefined> {
  try {
    await listenOnce(host, 0);
    if (port !== 0) await listenOnce(host, port);
    return undefined;
  } catch (error) {
    if (!isError(error)) throw error;
    if (!hasErrorCode(error, 'EADDRINUSE')) throw bindError(error, host, port);
    return `port ${port} of ${host} is in use now; it must be free when the server starts`;
  }
}

function listenOnce(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  });
}
