import type { TransportName } from './transports/index.js';

/** The first versions of Node whose listeners can share a port, by their major number; later ones can. Source: Node's documentation of `server.listen`. */
const SINCE: Readonly<Record<number, number>> = { 22: 12, 23: 1 };

/**
 * Whether several threads can listen on one port, so that the system spreads connections over them: by Linux alone among the
 * systems that this runs on. uWebSockets.js does so by itself.
 */
export function canSharePort(transport: TransportName, version = process.versions.node): boolean {
  if (process.platform !== 'linux') return false;
  if (transport === 'uws') return true;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || minor >= (SINCE[major] ?? Infinity);
}
