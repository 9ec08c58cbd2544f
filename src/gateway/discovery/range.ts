import { AppError } from '../../base/index.js';
import { bitsOf, formatIpAddress, parseIpAddress, type IpAddress, classOf, mayContact } from '../../address/index.js';

/** 1,024 addresses: a /22 of IPv4, a /118 of IPv6. More would be a scan of other people's networks. */
const MAX_RANGE_BITS = 10;

/** Addresses to scan. */
export interface ScanRange {
  /** The range with its host bits cleared, or its one address. */
  readonly text: string;
  readonly addresses: readonly IpAddress[];
  /** How many of the range are never contacted: network, broadcast, metadata and the like. */
  readonly numExcluded: number;
}

/**
 * The addresses of `10.0.0.0/24`, `fd00::/120`, or of one address alone. Errors: `scan_range_invalid`,
 * `scan_range_refused`.
 */
export function parseRange(text: string, allowPublic = false): ScanRange {
  const { start, length } = parseCidr(text);
  const bits = bitsOf(start.family);
  const rest = bits - length;
  if (rest > MAX_RANGE_BITS) {
    const least = bits - MAX_RANGE_BITS;
    throw invalid(`${text} has more than 1,024 addresses; scan a /${least} or smaller, one after the other`);
  }
  const first = (start.value >> BigInt(rest)) << BigInt(rest);
  const size = 1 << rest;
  const all = Array.from({ length: size }, (_, i): IpAddress => ({ family: start.family, value: first + BigInt(i) }));
  if (!allowPublic && all.some((address) => classOf(address) === 'public')) {
    throw new AppError(
      'scan_range_refused',
      `${text} has public addresses; scan a private range, or allow public ones (--allow-public) if they are yours`,
    );
  }
  // The first address of an IPv4 network names the network; the last one is its broadcast address (RFC 919, RFC 3021).
  const hosts = start.family === 4 && size > 2 ? all.slice(1, -1) : all;
  const addresses = hosts.filter((address) => mayContact(classOf(address), allowPublic));
  if (addresses.length === 0) {
    const found = classOf({ family: start.family, value: first });
    throw new AppError('scan_range_refused', `${text} has no address that may be contacted: it is ${found}`);
  }
  const from = formatIpAddress({ family: start.family, value: first });
  return { text: rest === 0 ? from : `${from}/${length}`, addresses, numExcluded: size - addresses.length };
}

function parseCidr(text: string): { readonly start: IpAddress; readonly length: number } {
  const [address = '', length, ...more] = text.split('/');
  const start = parseIpAddress(address);
  if (start === undefined || more.length > 0) {
    throw invalid(`${describe(text)} is no range; write one as 192.168.1.0/24, fd00::/120, or a single address`);
  }
  const bits = bitsOf(start.family);
  if (length === undefined) return { start, length: bits };
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length) || Number(length) > bits) {
    throw invalid(`${describe(text)} has no prefix length from 0 to ${bits} behind its slash`);
  }
  if (start.family === 6 && start.value >> 32n === 0xffffn) {
    throw invalid(`${text} is a range of IPv4 addresses; write it as one`);
  }
  return { start, length: Number(length) };
}

function invalid(message: string): AppError {
  return new AppError('scan_range_invalid', message);
}

/** The input, shortened for a message. */
function describe(text: string): string {
  return /^[\x21-\x7e]{1,64}$/.test(text) ? text : `a text of ${text.length} characters`;
}
