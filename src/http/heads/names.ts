import { isIP } from 'node:net';

/** Which Host headers and origins a listener answers. */
export interface AllowedNames {
  readonly isHostAllowed: (host: string) => boolean;
  /** `host`: the Host header of the same request, where it is allowed. */
  readonly isOriginAllowed: (origin: string, host?: string) => boolean;
}

/** Allows every host or every origin. */
export const ANY = '*';

/** An origin goes back in the answer, where nothing else may be. */
const VISIBLE = /^[\x21-\x7e]+$/;
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const WILDCARDS: readonly string[] = ['0.0.0.0', '[::]'];
/** An address, or a name of the characters that DNS names and container networks have, and perhaps a port. */
const AUTHORITY = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::(\d{1,5}))?$/;
const LOOPBACK_V4 = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;
/** 127.0.0.0/8 as IPv6 has it (RFC 4291, 2.5.5.2), the way that URLs write it. */
const MAPPED_LOOPBACK = /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/;

/**
 * The names of a listener on `host`: the loopback names and addresses and the listen host, at any port or none. A
 * container's published port, a proxy or `ssh -L` changes the port. On a wildcard host every address counts too. DNS
 * rebinding comes with a name of its own and never with an address, so this admits none. `allowedHosts` adds names, for
 * any port unless they say one; `*` is any. Exact names only: suffix rules are how DNS rebinding gets in
 * (CVE-2024-28224). So `localhost.` and names below `localhost`, which clients do not use by themselves, are foreign.
 * Origins: http and https pages of the loopback names, by the same rule, those that this listener serves itself, and
 * `allowedOrigins`, exactly; `*` is any.
 */
export function createAllowedNames(
  host: string,
  allowedHosts: readonly string[] = [],
  allowedOrigins: readonly string[] = [],
): AllowedNames {
  const listenHost = toHostName(host);
  const takesAddresses = WILDCARDS.includes(listenHost);
  const added = new Set(allowedHosts.map(toAllowedHost));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  return {
    isHostAllowed: (sent) => {
      if (added.has(ANY)) return true;
      const found = readAuthority(sent);
      if (found === undefined) return false;
      const { name, port } = found;
      if (name === listenHost || isLoopbackName(name)) return true;
      if (takesAddresses && isAddress(name)) return true;
      return added.has(name) || (port !== undefined && added.has(`${name}:${port}`));
    },
    isOriginAllowed: (sent, ownHost) =>
      (origins.has(ANY) && VISIBLE.test(sent)) ||
      origins.has(sent.toLowerCase()) ||
      isLoopbackOrigin(sent) ||
      // Where any host is allowed, the name of a page says nothing: DNS rebinding gives it that of the listener.
      (!added.has(ANY) && ownHost !== undefined && isOriginOf(sent, ownHost)),
  };
}

/** Whether only this machine can reach a listener on `host`. */
export function isLoopbackHost(host: string): boolean {
  return isLoopbackName(toHostName(host));
}

/** A host as a Host header spells it: lower case, IPv6 in brackets and in its shortest form. */
export function toHostName(host: string): string {
  const name = host.toLowerCase();
  const address = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  return isIP(address) === 6 ? shortest(address) : name;
}

/** The name and the port of a Host header; undefined where it is none, or has more, as user information. */
export function readAuthority(sent: string): { readonly name: string; readonly port: number | undefined } | undefined {
  const [, host, port] = AUTHORITY.exec(sent.toLowerCase()) ?? [];
  if (host === undefined || !VISIBLE.test(sent) || Number(port ?? 0) > 65_535) return undefined;
  if (host.startsWith('[') && isIP(host.slice(1, -1)) !== 6) return undefined;
  return { name: toHostName(host), port: port === undefined ? undefined : Number(port) };
}

function toAllowedHost(given: string): string {
  const found = readAuthority(given);
  if (found === undefined) return given;
  return found.port === undefined ? found.name : `${found.name}:${found.port}`;
}

/** Addresses are literal ones of four numbers or in brackets: what else a browser takes for one, it sends as such. */
function isLoopbackName(name: string): boolean {
  return LOOPBACK.includes(name) || (LOOPBACK_V4.test(name) && isIP(name) === 4) || MAPPED_LOOPBACK.test(name);
}

function isAddress(name: string): boolean {
  return name.startsWith('[') || isIP(name) === 4;
}

function isLoopbackOrigin(origin: string): boolean {
  const authority = /^https?:\/\/(.*)$/i.exec(origin)?.[1];
  const name = authority === undefined ? undefined : readAuthority(authority)?.name;
  return name !== undefined && isLoopbackName(name);
}

/** Whether a page of `origin` was loaded from `host` itself. */
function isOriginOf(origin: string, host: string): boolean {
  const sent = /^https?:\/\/(.*)$/i.exec(origin)?.[1]?.toLowerCase();
  return sent === host.toLowerCase() && readAuthority(host) !== undefined;
}

/** An IPv6 address in brackets, as URLs write it. Source: the WHATWG URL Standard, host serializer. */
function shortest(address: string): string {
  const url = `http://[${address}]/`;
  return URL.canParse(url) ? new URL(url).hostname : `[${address}]`;
}
