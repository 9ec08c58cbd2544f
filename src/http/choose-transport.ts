import { AppError } from '../base/index.js';
import { isLoopbackHost } from './heads/names.js';
import { loadUws } from './uws-module.js';
import type { TransportName } from './transports/index.js';

/** A transport by name, or the best that is there. */
export type TransportChoice = TransportName | 'auto';

/**
 * The transport for a choice. `auto` takes uws when it can be loaded in a version that is safe to show to others,
 * else node. An unsafe one is taken only when it was asked for and only this machine can reach it.
 * Errors: `transport_unavailable`, `transport_unsafe`.
 */
export async function chooseTransport(
  choice: TransportChoice,
  host: string,
  uwsDirectory: string | undefined,
): Promise<TransportName> {
  if (choice === 'node') return 'node';
  if (choice === 'auto') {
    const isSafe = await loadUws(uwsDirectory).then(
      (found) => found.isSafe,
      () => false,
    );
    return isSafe ? 'uws' : 'node';
  }
  const { isSafe, version } = await loadUws(uwsDirectory);
  if (!isSafe && !isLoopbackHost(host)) {
    throw new AppError(
      'transport_unsafe',
      `uWebSockets.js ${version ?? 'of an unknown version'} may not serve on ${host}, which others can reach: ` +
        'it must be 20.64 or newer; install v20.66.0 from its author, use --transport node, or listen on 127.0.0.1',
      { host, version: version ?? null },
    );
  }
  return 'uws';
}
