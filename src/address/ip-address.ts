import { isIP } from 'node:net';

/** An IP address as a number: of 32 bits in family 4, of 128 in family 6. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** Parses an address: dotted decimal or IPv6 without brackets and zone; undefined for anything else. */
export function parseIpAddress(text: string): IpAddress | undefined {
  const family = isIP(text);
  if (family === 4) return { family: 4, value: valueOf(text.split('.').map(Number), 8n) };
  // Node accepts fe80::1%eth0 as an address.
  if (family !== 6 || text.includes('%')) return undefined;
  const last = text.slice(text.lastIndexOf(':') + 1);
  const embedded = last.includes('.') ? parseIpAddress(last) : undefined;
  const hex = embedded === undefined ? text : text.slice(0, -last.length) + toGroups(embedded.value, 2).join(':');
  const [head = '', tail] = hex.split('::');
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const zeros = new Array<number>(8 - front.length - back.length).fill(0);
  return { family: 6, value: valueOf([...front, ...zeros, ...back], 16n) };
}

/** The canonical text: dotted decimal, or IPv6 as RFC 5952 shortens it, without brackets. */
export function formatIpAddress({ family, value }: IpAddress): string {
  if (family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');
  }
  // URLs have the one canonical form, and Node writes it.
  return new URL(`http://[${toGroups(value, 8).join(':')}]/`).hostname.slice(1, -1);
}

/** The bits of an address of `family`. */
export function bitsOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function valueOf(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((sum, part) => (sum << bits) | BigInt(part), 0n);
}

/** The last `count` groups of 16 bits, in hexadecimal. */
function toGroups(value: bigint, count: number): string[] {
  return Array.from({ length: count }, (_, i) => ((value >> BigInt(16 * (count - 1 - i))) & 0xffffn).toString(16));
}
