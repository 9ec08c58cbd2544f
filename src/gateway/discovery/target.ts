import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { AppError, isError, present } from '../../base/index.js';
import {
  classOf,
  formatIpAddress,
  isBroadcast,
  isOwnListener,
  mayContact,
  parseIpAddress,
  type IpAddress,
  type NetworkInterfaces,
  type OwnListener,
} from '../../address/index.js';

/** Where to connect. The address is an IP address: nothing is resolved again. */
export interface ContactAddress {
  readonly address: string;
  readonly port: number;
  /** The Host header. */
  readonly authority: string;
}

/** Rules for addresses that may be contacted. */
export interface ContactRules {
  /** Addresses beyond loopback and private networks too. */
  readonly allowPublic?: boolean;
  /** Listeners of the gateway itself, which are never contacted. */
  readonly own?: readonly OwnListener[];
  /** Absent: the addresses of this machine. */
  readonly interfaces?: NetworkInterfaces;
}

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** The target of an address and a port. */
export function toTarget(address: IpAddress, port: number): ContactAddress {
  const text = formatIpAddress(address);
  return { address: text, port, authority: `${address.family === 6 ? `[${text}]` : text}:${port}` };
}

/** Why an address is not contacted; undefined when it is. */
export function refusalOf(address: IpAddress, port: number, rules: ContactRules): string | undefined {
  const interfaces = rules.interfaces ?? networkInterfaces();
  const kind = classOf(address);
  if (!mayContact(kind, rules.allowPublic === true)) return `its address is ${kind}`;
  if (isBroadcast(address, interfaces)) return 'its address is broadcast';
  return isOwnListener(address, port, rules.own ?? [], interfaces) ? "it is this gateway's own listener" : undefined;
}

/**
 * The address of a runtime's URL. It resolves the host name once, requires that every address is allowed, and takes the
 * first one. Errors: `runtime_url_refused`, `runtime_unresolved`.
 */
export async function resolveTarget(
  text: string,
  rules: ContactRules = {},
  resolve: Resolve = resolveHost,
): Promise<ContactAddress> {
  const url = parseRuntimeUrl(text);
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port === '' ? 80 : url.port);
  const literal = parseIpAddress(hostname);
  const texts = literal === undefined ? await resolve(hostname) : [hostname];
  const addresses = texts.map(parseIpAddress);
  if (addresses.length === 0) throw unresolved(url);
  for (const address of addresses) {
    // An address with a zone, such as fe80::1%eth0, is link-local.
    const refusal = address === undefined ? 'its address is link-local' : refusalOf(address, port, rules);
    if (refusal !== undefined) throw refused(url.host, refusal);
  }
  const first = present(addresses[0], 'every address was read');
  return { address: formatIpAddress(first), port, authority: `${url.hostname}:${port}` };
}

/** Parses a URL with the parser that Node connects with, so no second interpretation exists. */
function parseRuntimeUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refused('the address of the runtime', 'it is no URL');
  }
  if (url.protocol !== 'http:')
    throw refused('the URL of the runtime', 'it is not http://; enter runtimes behind TLS in gateway.yaml');
  if (url.username !== '' || url.password !== '') throw refused(url.host, 'its URL has a name or a password');
  if (url.search !== '' || url.hash !== '') throw refused(url.host, 'its URL has a query or a fragment');
  return url;
}

async function resolveHost(hostname: string): Promise<readonly string[]> {
  try {
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  } catch (error) {
    if (isError(error)) return [];
    throw error;
  }
}

function refused(what: string, why: string): AppError {
  return new AppError('runtime_url_refused', `${what} is not contacted: ${why}`);
}

function unresolved(url: URL): AppError {
  return new AppError('runtime_unresolved', `${url.hostname} has no address; check the name, or write the address`);
}
