import { bitsOf, formatIpAddress, parseIpAddress, type IpAddress } from './ip-address.js';
import { toPlainAddress } from './address-class.js';

/** Addresses with a common prefix. */
export interface AddressRange {
  /** With the bits behind the prefix cleared: `10.0.0.0/8`. */
  readonly text: string;
  has(address: IpAddress): boolean;
}

/** Parses `10.0.0.0/8`, `fd00::/8` or one address alone; undefined for anything else. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, start = '', length] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const address = parseIpAddress(start);
  if (address === undefined) return undefined;
  const { family } = address;
  const bits = bitsOf(family);
  const numBits = length === undefined ? bits : Number(length);
  if (numBits > bits) return undefined;
  const shift = BigInt(bits - numBits);
  const prefix = address.value >> shift;
  return {
    text: `${formatIpAddress({ family, value: prefix << shift })}/${numBits}`,
    has: (other) => {
      const plain = toPlainAddress(other);
      return plain.family === family && plain.value >> shift === prefix;
    },
  };
}
