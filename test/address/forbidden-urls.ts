// URLs that lead where no server of ours may connect to (S9), in the forms in which an address can be written.

/** Ways to write one IPv4 address that a URL parser, or a library behind it, may know. */
function formsOf(address: string): readonly string[] {
  const bytes = address.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const hex = value.toString(16).padStart(8, '0');
  const [high, low] = [hex.slice(0, 4), hex.slice(4)];
  const wide = (text: string): string =>
    text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))).replaceAll('.', '\uff0e');
  return [
    address,
    `${address}.`,
    String(value),
    `0x${hex}`,
    `0X${hex.toUpperCase()}`,
    `0${value.toString(8)}`,
    bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
    bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `0x${a.toString(16)}.0${b.toString(8)}.${c * 256 + d}`,
    wide(address),
    address.replaceAll('.', '\u3002'),
    address.replaceAll('.', '%2e'),
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[64:ff9b::${high}:${low}]`,
    `[2002:${high}:${low}::]`,
    `[::${high}:${low}]`,
  ];
}

const FORBIDDEN_V4 = [
  '0.0.0.0',
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '224.0.0.251',
  '255.255.255.255',
];
const FORBIDDEN_V6 = [
  '[::]',
  '[0:0:0:0:0:0:0:0]',
  '[fe80::1]',
  '[ff02::1]',
  '[fd00:ec2::254]',
  '[::ffff:0:0]',
  '[2001::1]',
];

/** URLs that lead where no server may be. `{port}`: the honeypot's. */
const URLS: readonly string[] = [
  ...[...FORBIDDEN_V4.flatMap(formsOf), ...FORBIDDEN_V6].map((host) => `http://${host}:{port}`),
  'http:\\\\0.0.0.0:{port}\\',
  'http:/0.0.0.0:{port}',
  'http:0.0.0.0:{port}',
  'http:///0.0.0.0:{port}',
  'HTTP://0.0.0.0:{port}',
  'http://0.0.0.0:{port}/engines/..',
  'http://127.0.0.1\\@0.0.0.0:{port}',
  'http://127.0.0.1@0.0.0.0:{port}',
  'http://user:pw@0.0.0.0:{port}',
  'http://0.0.0.0\r\n:{port}',
  'http://0.0.\t0.0:{port}',
  'http://127.0.0.1:{port}#@0.0.0.0:{port}/',
  'http://127.0.0.1:{port}?@0.0.0.0:{port}/',
  'https://0.0.0.0:{port}',
  'https://[::]:{port}',
  'https://0:{port}',
  'ftp://0.0.0.0:{port}',
  'file:///etc/passwd',
  'file://0.0.0.0:{port}/x',
  'unix:/var/run/docker.sock',
  'http+unix://%2fvar%2frun%2fdocker.sock',
  'gopher://0.0.0.0:{port}/',
  'dict://0.0.0.0:{port}/',
  'jar:http://0.0.0.0:{port}!/',
  'data:,x',
  'javascript:1',
  '//0.0.0.0:{port}',
  '0.0.0.0:{port}',
  '',
];

/** Every form, with the port of a honeypot. */
export function forbiddenUrls(port: number): readonly string[] {
  return URLS.map((url) => url.replaceAll('{port}', String(port)));
}
