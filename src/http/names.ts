import { networkInterfaces } from 'node:os';

/** Which Host headers and origins a listener answers. */
export interface AllowedNames {
  readonly isHostAllowed: (host: string) => boolean;
  readonly isOriginAllowed: (origin: string) => boolean;
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const WILDCARDS: readonly string[] = ['0.0.0.0', '[::]'];

/**
 * The names of a listener on `host` and `port`: the loopback names and the listen host, with its port; on a wildcard
 * host the machine's own addresses too, since a rebound DNS name is never an address. `allowedHosts` adds names, for
 * any port unless they say one. Exact names only: suffix rules are how DNS rebinding gets in (CVE-2024-28224).
 * Origins: http and https pages of the loopback names at any port, and `allowedOrigins`, exactly.
 */
export function createAllowedNames(
  host: string,
  port: number,
  allowedHosts: readonly string[] = [],
  allowedOrigins: readonly string[] = [],
): AllowedNames {
  const listenHost = toHostName(host);
  const own = WILDCARDS.includes(listenHost) ? machineAddresses() : [listenHost];
  const hosts = new Set([...LOOPBACK, ...own].map((name) => `${name}:${port}`));
  if (port === 80) for (const name of [...LOOPBACK, ...own]) hosts.add(name);
  const added = new Set(allowedHosts.map((name) => name.toLowerCase()));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  return {
    isHostAllowed: (sent) => {
      const name = sent.toLowerCase();
      return hosts.has(name) || added.has(name) || added.has(name.replace(/:\d{1,5}$/, ''));
    },
    isOriginAllowed: (sent) => origins.has(sent.toLowerCase()) || isLoopbackOrigin(sent),
  };
}

/** Whether only this machine can reach a listener on `host`. */
export function isLoopbackHost(host: string): boolean {
  const name = toHostName(host);
  return LOOPBACK.includes(name) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

function isLoopbackOrigin(origin: string): boolean {
  const name = /^https?:\/\/(\[::1\]|[a-z0-9.]+)(?::\d{1,5})?$/i.exec(origin)?.[1];
  return name !== undefined && LOOPBACK.includes(name.toLowerCase());
}

/** A host as a Host header spells it: lower case, IPv6 in brackets. */
function toHostName(host: string): string {
  const name = host.toLowerCase();
  return name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
}

function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => toHostName(address)),
  );
}
