import type { ListenAddress } from './parse/text-checks.js';

/** A host and a port as a URL has them. */
export function toAuthority({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
