import { isIPv6 } from 'node:net';

/** Groups of an IPv6 address that identify a network. A host may use any of the 2^64 addresses in it. */
const NETWORK_GROUPS = 4;

/** The key by which connections are counted: an IPv4 address, or the network (/64) of an IPv6 address. */
export function toClientAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.replace(/%.*/, '').toLowerCase().split('::');
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array<string>(Math.max(0, 8 - (left?.length ?? 0) - (right?.length ?? 0))).fill('0');
  return `${[...(left ?? []), ...zeros, ...(right ?? [])].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
