import type { GatewayConfig } from './gateway-config.js';

/** A host and a port as a URL has them. */
export function toAuthority({ host, port }: GatewayConfig['listen']): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
