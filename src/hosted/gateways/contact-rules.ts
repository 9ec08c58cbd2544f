import { networkInterfaces } from 'node:os';
import {
  classOf,
  isOwnListener,
  parseAddressRange,
  parseIpAddress,
  type AddressRange,
  type MayConnect,
  type NetworkInterfaces,
  type OwnListener,
} from '../../address/index.js';
import { invalidValue } from '../../base/index.js';

/** Rules for the addresses of connected gateways. */
export interface ContactRules {
  /** Loopback and private addresses of these ranges, beside all public ones. */
  readonly allowed: readonly AddressRange[];
  /** Where this process listens: a gateway that leads there would be a loop. */
  readonly own: () => readonly OwnListener[];
  /** Hosts by which clients reach this service, in lower case, with a port where it is not the scheme's. */
  readonly ownHosts: ReadonlySet<string>;
  /** Absent: the addresses of this machine. */
  readonly interfaces?: NetworkInterfaces;
}

/** The ranges that an operator wrote. Errors: `invalid_value`. */
export function parseAllowedRanges(texts: readonly string[]): readonly AddressRange[] {
  return texts.map((text) => {
    const range = parseAddressRange(text);
    if (range === undefined) throw invalidValue('allowed range', text, 'an address or a CIDR range such as 10.0.0.0/8');
    return range;
  });
}

/** Why an address is not contacted, the end of a sentence that begins with it; undefined: it may be. */
export function addressTrouble(text: string, rules: Pick<ContactRules, 'allowed'>): string | undefined {
  const address = parseIpAddress(text);
  if (address === undefined) return 'is no address that can be contacted';
  const kind = classOf(address);
  if (kind === 'public') return undefined;
  // Where clouds keep credentials, and where no server is, no range of an operator leads.
  if (kind !== 'loopback' && kind !== 'private') return `is a ${kind} address`;
  if (rules.allowed.some((range) => range.has(address))) return undefined;
  return `is a ${kind} address, and no range of gateways.allow_private in hosted.yaml has it`;
}

/** For connections: asked of every address that a name has, each time. */
export function toMayConnect(rules: Pick<ContactRules, 'allowed'>): MayConnect {
  return (text) => addressTrouble(text, rules) === undefined;
}

/** Whether a connection to an address and port comes back to this process. */
export function leadsHere(text: string, port: number, rules: ContactRules): boolean {
  const address = parseIpAddress(text);
  return address !== undefined && isOwnListener(address, port, rules.own(), rules.interfaces ?? networkInterfaces());
}
