import type { NetworkInterfaceInfo } from 'node:os';
import { classOf, toPlainAddress } from './address-class.js';
import { parseIpAddress, type IpAddress } from './ip-address.js';

/** A listener of this process, as configured. */
export interface OwnListener {
  readonly host: string;
  readonly port: number;
}

/** The result of `os.networkInterfaces`. */
export type NetworkInterfaces = Readonly<Partial<Record<string, readonly NetworkInterfaceInfo[]>>>;

/** Whether a connection to `address` and `port` would reach one of the process's own listeners. */
export function isOwnListener(
  address: IpAddress,
  port: number,
  own: readonly OwnListener[],
  interfaces: NetworkInterfaces,
): boolean {
  return own.some((listener) => listener.port === port && reaches(address, listener.host, interfaces));
}

/** Whether `address` is the last one of a network of this machine: it reaches every machine there. */
export function isBroadcast(address: IpAddress, interfaces: NetworkInterfaces): boolean {
  return ownAddresses(interfaces).some(({ cidr }) => {
    const [start = '', length] = (cidr ?? '').split('/');
    const own = parseIpAddress(start);
    if (own?.family !== 4 || address.family !== 4) return false;
    const rest = 32n - BigInt(length ?? 32);
    const last = (1n << rest) - 1n;
    return rest > 1n && address.value === (own.value | last);
  });
}

function reaches(address: IpAddress, host: string, interfaces: NetworkInterfaces): boolean {
  const plain = toPlainAddress(address);
  const isLoopback = classOf(plain) === 'loopback';
  if (host === 'localhost') return isLoopback;
  const bound = parseIpAddress(host.replace(/^\[(.*)\]$/, '$1'));
  if (bound === undefined) return false;
  const { family, value } = toPlainAddress(bound);
  if (value !== 0n) return family === plain.family && value === plain.value;
  // Every address of this machine; :: takes IPv4 connections too.
  if (family === 4 && plain.family === 6) return false;
  const isOwn = ownAddresses(interfaces).some((own) => parseIpAddress(own.address)?.value === plain.value);
  return isLoopback || isOwn;
}

function ownAddresses(interfaces: NetworkInterfaces): readonly NetworkInterfaceInfo[] {
  return Object.values(interfaces).flatMap((found) => found ?? []);
}
