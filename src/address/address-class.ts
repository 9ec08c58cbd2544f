import { present } from '../base/index.js';
import { bitsOf, parseIpAddress, type IpAddress } from './ip-address.js';

/** The use of an address. Discovery of runtimes contacts `loopback` and `private`, `public` if allowed, others never. */
export type AddressClass =
  | 'loopback'
  | 'private'
  | 'public'
  | 'metadata'
  | 'link-local'
  | 'multicast'
  | 'broadcast'
  | 'unspecified'
  | 'reserved';

/** From IANA's registries of special-purpose addresses (RFC 6890); the first matching block decides. */
const BLOCKS: readonly (readonly [AddressClass, string])[] = [
  // Metadata services that give credentials to any client inside a cloud: Azure, Alibaba, Oracle, AWS and Google by
  // IPv6.
  ['metadata', '168.63.129.16/32'],
  ['metadata', '100.100.100.200/32'],
  ['metadata', '192.0.0.192/32'],
  ['metadata', 'fd00:ec2::254/128'],
  ['metadata', 'fd20:ce::254/128'],
  ['link-local', '169.254.0.0/16'],
  ['unspecified', '0.0.0.0/8'],
  ['loopback', '127.0.0.0/8'],
  ['private', '10.0.0.0/8'],
  ['private', '172.16.0.0/12'],
  ['private', '192.168.0.0/16'],
  // Shared by carriers, and by networks between a user's own machines such as Tailscale's.
  ['private', '100.64.0.0/10'],
  ['reserved', '192.0.0.0/24'],
  ['reserved', '192.0.2.0/24'],
  ['reserved', '192.88.99.0/24'],
  ['reserved', '198.18.0.0/15'],
  ['reserved', '198.51.100.0/24'],
  ['reserved', '203.0.113.0/24'],
  ['broadcast', '255.255.255.255/32'],
  ['multicast', '224.0.0.0/4'],
  ['reserved', '240.0.0.0/4'],
  ['public', '0.0.0.0/0'],
  ['unspecified', '::/128'],
  ['loopback', '::1/128'],
  ['private', 'fc00::/7'],
  ['link-local', 'fe80::/10'],
  ['multicast', 'ff00::/8'],
  // Tunnels to IPv4 addresses that this table would not check: Teredo, 6to4. NAT64 and ::a.b.c.d are outside of
  // 2000::/3.
  ['reserved', '2001::/23'],
  ['reserved', '2002::/16'],
  ['reserved', '2001:db8::/32'],
  ['reserved', '3fff::/20'],
  ['public', '2000::/3'],
  ['reserved', '::/0'],
];

interface Block extends IpAddress {
  readonly class: AddressClass;
  readonly shift: bigint;
}

const blocks: readonly Block[] = BLOCKS.map(([name, text]) => {
  const [start = '', length] = text.split('/');
  const { family, value } = present(parseIpAddress(start), `${start} is an address`);
  const shift = BigInt(bitsOf(family) - Number(length));
  return { class: name, family, value: value >> shift, shift };
});

/** The first of the 2^32 IPv6 addresses that are IPv4 ones: ::ffff:0:0/96. */
const MAPPED = 0xffffn;

/** The class of an address; an IPv4 address in IPv6 form has the class of the IPv4 address. */
export function classOf(address: IpAddress): AddressClass {
  const { family, value } = toPlainAddress(address);
  const found = blocks.find((block) => block.family === family && value >> block.shift === block.value);
  return present(found, 'the last block of each family has every address').class;
}

/** ::ffff:10.0.0.1 is 10.0.0.1; any other address is itself. */
export function toPlainAddress(address: IpAddress): IpAddress {
  const isMapped = address.family === 6 && address.value >> 32n === MAPPED;
  return isMapped ? { family: 4, value: address.value & 0xffff_ffffn } : address;
}

/** Whether discovery may contact addresses of a class. */
export function mayContact(kind: AddressClass, allowPublic: boolean): boolean {
  return kind === 'loopback' || kind === 'private' || (kind === 'public' && allowPublic);
}

/**
 * Whether a runtime in an operator's configuration may have this address: any where a server can be, except metadata
 * services.
 */
export function mayServe(text: string): boolean {
  const address = parseIpAddress(text);
  return address !== undefined && mayContact(classOf(address), true);
}
