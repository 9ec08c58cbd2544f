// Arithmetic of addresses and ranges, against Node's own reading of them.
import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIpAddress, parseIpAddress, type IpAddress, classOf, mayContact } from '../../src/address/index.js';
import { isBroadcast, isOwnListener } from '../../src/address/index.js';
import { parseRange } from '../../src/gateway/discovery/range.js';

const parse = (text: string): IpAddress => parseIpAddress(text) ?? expect.fail(`${text} is an address`);
const v4 = fc.ipV4();
const v6 = fc.ipV6();
/** IPv4 addresses near the edges of blocks, and anywhere. */
const anyV4 = fc.oneof(
  v4,
  fc
    .tuple(
      fc.constantFrom(
        '10.255.255',
        '172.15.255',
        '172.32.0',
        '192.167.255',
        '100.127.255',
        '169.254.169',
        '223.255.255',
      ),
      fc.integer({ min: 0, max: 255 }),
    )
    .map(([start, last]) => `${start}.${last}`),
);

describe('an address', () => {
  it('reads as it was written, and writes the canonical form of it', () => {
    fc.assert(
      fc.property(fc.oneof(v4, v6), (text) => {
        const address = parse(text);
        const written = formatIpAddress(address);
        expect(isIP(written)).toBe(address.family);
        expect(parse(written)).toEqual(address);
        const host = address.family === 6 ? `[${text}]` : text;
        expect(written).toBe(new URL(`http://${host}/`).hostname.replace(/^\[(.*)\]$/, '$1'));
      }),
    );
  });

  it('has the value of its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), (bytes) => {
        expect(parse(bytes.join('.')).value).toBe(BigInt(Buffer.from(bytes).readUInt32BE()));
      }),
    );
    expect(parse('::ffff:1.2.3.4')).toEqual({ family: 6, value: 0xffff_0102_0304n });
    expect(parse('1::2').value).toBe((1n << 112n) + 2n);
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '0x7f.0.0.1',
    '2130706433',
    'localhost',
    'fe80::1%eth0',
    '[::1]',
    '1::2::3',
    ' 127.0.0.1',
    '127.0.0.1 ',
  ])('is none: %j', (text) => expect(parseIpAddress(text)).toBeUndefined());
});

describe('the class of an address', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'public'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['169.254.169.254', 'link-local'],
    ['8.8.8.8', 'public'],
    ['0.0.0.0', 'unspecified'],
    ['224.0.0.251', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.1', 'reserved'],
    ['::1', 'loopback'],
    ['::', 'unspecified'],
    ['fd12::1', 'private'],
    ['fd00:ec2::254', 'metadata'],
    ['fe80::1', 'link-local'],
    ['ff02::1', 'multicast'],
    ['2606:4700::1', 'public'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:169.254.169.254', 'link-local'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::a9fe:a9fe', 'reserved'],
    ['2002:a9fe:a9fe::1', 'reserved'],
    ['2001:0:1:2::3', 'reserved'],
    ['::127.0.0.1', 'reserved'],
    ['fec0::1', 'reserved'],
  ])('%s is %s', (text, kind) => expect(classOf(parse(text))).toBe(kind));

  it('is contacted where Node says that it is of a private block and nothing else', () => {
    const blocks = new BlockList();
    for (const [start, length] of [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['127.0.0.0', 8],
      ['100.64.0.0', 10],
    ] as const)
      blocks.addSubnet(start, length);
    fc.assert(
      fc.property(anyV4, (text) => {
        const expected = blocks.check(text) && text !== '100.100.100.200';
        expect(mayContact(classOf(parse(text)), false)).toBe(expected);
        expect(classOf(parse(`::ffff:${text}`))).toBe(classOf(parse(text)));
      }),
      { numRuns: 1_000 },
    );
    const six = new BlockList();
    six.addSubnet('fc00::', 7, 'ipv6');
    six.addAddress('::1', 'ipv6');
    fc.assert(
      fc.property(v6, (text) => {
        if (/^(?:::|[0:]+:)ffff:/i.test(text)) return;
        expect(mayContact(classOf(parse(text)), false)).toBe(six.check(text, 'ipv6'));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a range', () => {
  it('has the addresses that Node finds in it, without the first and the last of an IPv4 network', () => {
    fc.assert(
      fc.property(fc.integer({ min: 22, max: 32 }), fc.nat({ max: 0xff_ffff }), (length, host) => {
        const start = `10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`;
        const { addresses, numExcluded } = parseRange(`${start}/${length}`);
        const block = new BlockList();
        block.addSubnet(start, length);
        expect(addresses.every((address) => block.check(formatIpAddress(address)))).toBe(true);
        expect(new Set(addresses.map(({ value }) => value)).size).toBe(addresses.length);
        expect(addresses.length + numExcluded).toBe(2 ** (32 - length));
        expect(numExcluded).toBe(length < 31 ? 2 : 0);
      }),
      { numRuns: 50 },
    );
  });

  it('has all of an IPv6 range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 118, max: 128 }), v6, (length, tail) => {
        const value = (parse(tail).value & ((1n << 120n) - 1n)) | (0xfd77n << 112n);
        const start = formatIpAddress({ family: 6, value });
        const { addresses } = parseRange(`${start}/${length}`);
        const block = new BlockList();
        block.addSubnet(start, length, 'ipv6');
        expect(addresses).toHaveLength(2 ** (128 - length));
        expect(addresses.every((address) => block.check(formatIpAddress(address), 'ipv6'))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('tells itself without its host bits', () => {
    expect(parseRange('192.168.7.200/22').text).toBe('192.168.4.0/22');
    expect(parseRange('fd00::ABCD/120').text).toBe('fd00::ab00/120');
    expect(parseRange('10.0.0.5').text).toBe('10.0.0.5');
    expect(parseRange('10.0.0.5/32').addresses).toHaveLength(1);
    expect(parseRange('10.0.0.4/31').addresses).toHaveLength(2);
  });

  it('never has more than 1,024 addresses', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 21 }), (length) => {
        expect(() => parseRange(`10.0.0.0/${length}`)).toThrow('more than 1,024 addresses; scan a /22 or smaller');
      }),
    );
    expect(parseRange('10.0.0.0/22').addresses).toHaveLength(1_022);
    expect(() => parseRange('fd00::/117')).toThrow('scan a /118 or smaller');
    expect(() => parseRange('fd00::/0')).toThrow('scan a /118 or smaller');
    expect(parseRange('fd00::/118').addresses).toHaveLength(1_024);
  });

  it.each([
    '',
    '/',
    '/24',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/024',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/24',
    '10.0.0.0/2x',
    'fd00::/129',
    '::ffff:10.0.0.0/120',
    'fe80::1%eth0/128',
    'example.com/24',
    '10.0.0.1-10.0.0.9',
    '\u001b[31m',
  ])('is invalid: %j', (text) => {
    expect(() => parseRange(text)).toThrow(expect.objectContaining({ code: 'scan_range_invalid' }));
  });

  it('is refused where it is public, or partly, unless that is allowed', () => {
    for (const text of ['8.8.8.0/24', '172.32.0.0/24', '11.0.0.0/32', '2606:4700::/120']) {
      expect(() => parseRange(text)).toThrow(expect.objectContaining({ code: 'scan_range_refused' }));
      expect(parseRange(text, true).addresses.length).toBeGreaterThan(0);
    }
  });

  it.each([
    '224.0.0.0/24',
    '255.255.255.255',
    '169.254.169.254',
    '169.254.0.0/22',
    '0.0.0.0',
    '240.0.0.0/24',
    '192.0.2.0/24',
    'ff02::/120',
    'fe80::/118',
    '::',
    '64:ff9b::/120',
    '100.100.100.200',
    'fd00:ec2::254',
  ])('is refused in any case: %s', (text) => {
    for (const allowPublic of [false, true]) {
      expect(() => parseRange(text, allowPublic)).toThrow(expect.objectContaining({ code: 'scan_range_refused' }));
    }
  });

  it('leaves out single addresses that are never contacted', () => {
    const { addresses, numExcluded } = parseRange('100.100.100.0/24');
    expect(addresses.map(formatIpAddress)).not.toContain('100.100.100.200');
    expect(numExcluded).toBe(3);
  });
});

describe('addresses of this machine', () => {
  const eth0 = {
    address: '192.168.1.7',
    netmask: '255.255.255.0',
    family: 'IPv4',
    mac: '',
    internal: false,
    cidr: '192.168.1.7/24',
  } as const;
  const interfaces = { eth0: [eth0] };
  const isOwn = (address: string, host: string): boolean =>
    isOwnListener(parse(address), 9440, [{ host, port: 9440 }], interfaces);

  it('are its own listener where that is bound to them', () => {
    expect(isOwn('127.0.0.1', '127.0.0.1')).toBe(true);
    expect(isOwn('127.0.0.2', '127.0.0.1')).toBe(false);
    expect(isOwn('::ffff:127.0.0.1', '127.0.0.1')).toBe(true);
    expect(isOwn('127.0.0.2', '0.0.0.0')).toBe(true);
    expect(isOwn('192.168.1.7', '0.0.0.0')).toBe(true);
    expect(isOwn('192.168.1.8', '0.0.0.0')).toBe(false);
    expect(isOwn('::1', '0.0.0.0')).toBe(false);
    expect(isOwn('192.168.1.7', '::')).toBe(true);
    expect(isOwn('::1', '[::1]')).toBe(true);
    expect(isOwn('::1', 'localhost')).toBe(true);
    expect(isOwnListener(parse('127.0.0.1'), 9441, [{ host: '127.0.0.1', port: 9440 }], interfaces)).toBe(false);
  });

  it('tell the broadcast address of their network', () => {
    expect(isBroadcast(parse('192.168.1.255'), interfaces)).toBe(true);
    expect(isBroadcast(parse('192.168.1.254'), interfaces)).toBe(false);
    expect(isBroadcast(parse('192.168.2.255'), interfaces)).toBe(false);
  });
});
