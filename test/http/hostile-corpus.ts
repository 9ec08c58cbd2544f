// Requests that parsers read in different ways, as raw bytes (latin1), and what of each may reach a handler.

/** One hostile connection. */
export interface HostileCase {
  readonly name: string;
  /** `{host}` stands for the Host of the listener. */
  readonly bytes: string;
  /** The only requests that may be served, in this order: `METHOD path body`. None of them need be. */
  readonly intended: readonly string[];
}

const CRLF = '\r\n';
const HOST = 'Host: {host}';
/** What an attacker hides behind another request. */
const SMUGGLED = `GET /smuggled HTTP/1.1${CRLF}${HOST}${CRLF}${CRLF}`;

const request = (line: string, fields: readonly string[], body = ''): string =>
  [line, ...fields, '', ''].join(CRLF) + body;
const refused = (name: string, bytes: string): HostileCase => ({ name, bytes, intended: [] });
const post = (fields: readonly string[], body: string): string =>
  request('POST /outer HTTP/1.1', [HOST, ...fields], body);
const chunked = (body: string): string => post(['Transfer-Encoding: chunked'], body);

/**
 * What uWebSockets.js hides from us: it drops bytes above 0x7f at the ends of a value before it reads it, so that this
 * is the number 5 to it. A front proxy that forwards such a value has not been seen.
 */
export const trimmedByUws: readonly HostileCase[] = [
  refused('Content-Length "\\xa05"', post(['Content-Length: \xa05'], 'hello')),
  refused('Content-Length "5\\xff"', post(['Content-Length: 5\xff'], 'hello')),
];

/** What uWebSockets.js before 20.64 hides from us: to it an empty header name ends the header block. */
export const hiddenByOldUws: readonly HostileCase[] = [
  refused('a header that is a colon', request('GET /outer HTTP/1.1', [HOST, ':'])),
  refused('a header without a name', post([': chunked'], '')),
];

/** The 21 requests on which node:http and uWebSockets.js were compared (their CVEs and each other's). */
export const measuredCases: readonly HostileCase[] = [
  refused(
    'Content-Length and Transfer-Encoding',
    post(['Content-Length: 5', 'Transfer-Encoding: chunked'], `0${CRLF}${CRLF}${SMUGGLED}`),
  ),
  refused('Content-Length +5', post(['Content-Length: +5'], `hello${SMUGGLED}`)),
  refused('Content-Length 0x5', post(['Content-Length: 0x5'], `hello${SMUGGLED}`)),
  refused('Content-Length -1', post(['Content-Length: -1'], SMUGGLED)),
  refused('a huge chunk size', chunked(`FFFFFFFFFFFFFFFFF${CRLF}abc${CRLF}0${CRLF}${CRLF}${SMUGGLED}`)),
  refused('a header of 64 KB', post([`X-Long: ${'a'.repeat(65_536)}`], '')),
  refused('two different Content-Length', post(['Content-Length: 5', 'Content-Length: 0'], `hello${SMUGGLED}`)),
  refused('Transfer-Encoding: xchunked', post(['Transfer-Encoding: xchunked'], `0${CRLF}${CRLF}${SMUGGLED}`)),
  refused(
    'Transfer-Encoding: chunked, identity',
    post(['Transfer-Encoding: chunked, identity'], `0${CRLF}${CRLF}${SMUGGLED}`),
  ),
  refused('bare line feeds', `GET /outer HTTP/1.1\n${HOST}\n\n${SMUGGLED}`),
  refused('an obsolete fold', request('GET /outer HTTP/1.1', [HOST, 'X-A: b', ' folded'])),
  refused('NUL in a header', request('GET /outer HTTP/1.1', [HOST, 'X-A: b\0c'])),
  refused('CR in a header', request('GET /outer HTTP/1.1', [HOST, 'X-A: b\rc'])),
  refused('a space before the colon', request('GET /outer HTTP/1.1', [HOST, 'X-A : b'])),
  refused('a line feed in a chunk extension', chunked(`3;a=\nb${CRLF}abc${CRLF}0${CRLF}${CRLF}${SMUGGLED}`)),
  refused('no Host', request('GET /outer HTTP/1.1', ['X-A: b'])),
  refused('two Host headers', request('GET /outer HTTP/1.1', [HOST, 'Host: evil.example'])),
  refused('an absolute target with another host', request('GET http://evil.example/outer HTTP/1.1', [HOST])),
  refused(
    'HTTP/1.0 with chunks',
    request('POST /outer HTTP/1.0', [HOST, 'Transfer-Encoding: chunked'], `0${CRLF}${CRLF}`),
  ),
  refused('300 headers', request('GET /outer HTTP/1.1', [HOST, ...Array.from({ length: 300 }, (_, i) => `X-${i}: v`)])),
  refused('a slow start that never ends', `GET /outer HTTP/1.1${CRLF}${HOST}${CRLF}X-A: b`),
];

const lengthCases = [
  '+5',
  '-5',
  '0x5',
  '5,5',
  '5, 5',
  '5 5',
  '',
  ' ',
  '1e1',
  '5.0',
  '5;',
  'five',
  '"5"',
  '٥',
  '5\x0b',
  '5\x0c',
  '0000000000000005',
  '9999999999999999',
  '18446744073709551616',
  '18446744073709551621',
  '4294967301 ',
  '5\x00',
  '\x005',
  '5\r',
  '5_0',
  '0b101',
  '0o5',
  '5L',
].map((value) =>
  refused(`Content-Length ${JSON.stringify(value)}`, post([`Content-Length: ${value}`], `hello${SMUGGLED}`)),
);

const doubled = ['Content-Length', 'content-length', 'CONTENT-LENGTH'].flatMap((name) =>
  ['5', '0', '6', '05', ''].flatMap((value) => [
    refused(`a second ${name}: ${value}`, post(['Content-Length: 5', `${name}: ${value}`], `hello${SMUGGLED}`)),
    refused(
      `a first ${name}: ${value}`,
      post([`${name}: ${value}`, 'X-Between: 1', 'Content-Length: 5'], `hello${SMUGGLED}`),
    ),
  ]),
);

const codingCases = [
  'xchunked',
  'chunkedx',
  'identity',
  'gzip',
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'chunked,',
  ',chunked',
  'chunked;q=1',
  '"chunked"',
  'chu nked',
  'chunked\x0b',
  '\x0bchunked',
  'chunked\x00',
  '\x00chunked',
  'chunked identity',
  'x',
  '',
  'nothing-much',
  'chunke',
  'chunkedchunked',
  'chunked\x0c',
  '[chunked]',
  'chunked#',
  'ch\tunked',
  'cow',
  'deflate, chunked',
].map((value) =>
  refused(
    `Transfer-Encoding ${JSON.stringify(value)}`,
    post([`Transfer-Encoding: ${value}`], `0${CRLF}${CRLF}${SMUGGLED}`),
  ),
);

const lengthBeside = ['Content-Length: 0', 'Content-Length: 5', 'Content-length: 300', 'CONTENT-LENGTH:5'].flatMap(
  (length) =>
    [
      'Transfer-Encoding: chunked',
      'transfer-encoding: CHUNKED',
      'Transfer-Encoding: identity',
      'TRANSFER-ENCODING:chunked',
    ].flatMap((coding) => [
      refused(`${length} before ${coding}`, post([length, coding], `0${CRLF}${CRLF}${SMUGGLED}`)),
      refused(`${coding} before ${length}`, post([coding, length], `0${CRLF}${CRLF}${SMUGGLED}`)),
    ]),
);

const twoCodings = ['chunked', 'identity', 'x', 'gzip'].flatMap((first) =>
  ['chunked', 'identity', 'x'].map((second) =>
    refused(
      `Transfer-Encoding twice: ${first}, ${second}`,
      post([`Transfer-Encoding: ${first}`, `Transfer-Encoding: ${second}`], `0${CRLF}${CRLF}${SMUGGLED}`),
    ),
  ),
);

/** A name that one parser may take for Transfer-Encoding or Content-Length and another not. */
const nameCases = [
  'Transfer-Encoding ',
  'Transfer-Encoding\t',
  ' Transfer-Encoding',
  '\tTransfer-Encoding',
  'Transfer\x00-Encoding',
  'Transfer-Encoding\x0b',
  'Transfer-Encoding\x00',
  'Transfer Encoding',
  'Transfer-\x7fEncoding',
  '(Transfer-Encoding)',
  'Transfer-Encoding\xa0',
  'Tr\xe4nsfer-Encoding',
  'Content-Length ',
  '\tContent-Length',
  'Content-Length\x00',
  'Content Length',
  'Content-Length\x0c',
  ' ',
  '@',
  'X:Y Z',
  'a"b',
  'a/b',
  'a{b}',
]
  .map((name) =>
    refused(
      `header name ${JSON.stringify(name)}`,
      post([`${name}: chunked`, ...(name === 'X:Y Z' ? ['no colon here'] : [])], `0${CRLF}${CRLF}${SMUGGLED}`),
    ),
  )
  // A line `X:Y Z: chunked` is a header X; the line without a colon is what is wrong with it.
  .map((hostile) => ({ ...hostile }));

const underscored: HostileCase[] = ['Transfer_Encoding', 'Content_Length', 'X-Content-Length'].map((name) => ({
  name: `${name} is no framing`,
  bytes: post([`${name}: 5`], SMUGGLED),
  intended: ['POST /outer ', 'GET /smuggled '],
}));

const chunkSizes = [
  '+3',
  '-3',
  '0x3',
  ' 3',
  'g',
  '',
  '3\x00',
  '3\x0b',
  '3x',
  '3 3',
  '3,',
  '\x003',
  '3.0',
  '100000000000000003',
  '10000000000000003',
  'FFFFFFFFFFFFFFFF',
  'FFFFFFFD',
  '7FFFFFFFFFFFFFFF',
  '8000000000000003',
  '3;\x00',
  '3;a\nb',
  '3\rx',
  '3_',
  '0x',
  '+0',
  '-0',
  '３',
  '3"',
  '3\xa0',
  '3\x85',
].map((size) => ({
  name: `chunk size ${JSON.stringify(size)}`,
  bytes: chunked(`${size}${CRLF}abc${CRLF}0${CRLF}${CRLF}${SMUGGLED}`),
  intended: [],
}));

const chunkEnds = [
  ['no line end after a chunk', `3${CRLF}abc0${CRLF}${CRLF}`],
  ['one more byte than the chunk says', `3${CRLF}abcd${CRLF}0${CRLF}${CRLF}`],
  ['line feed after a chunk', `3${CRLF}abc\n0${CRLF}${CRLF}`],
  ['line feed after a size', `3\nabc${CRLF}0${CRLF}${CRLF}`],
  ['carriage return after a size', `3\rabc${CRLF}0${CRLF}${CRLF}`],
  ['two carriage returns', `3\r\r\nabc${CRLF}0${CRLF}${CRLF}`],
  ['a chunk that ends too early', `5${CRLF}abc${CRLF}0${CRLF}${CRLF}`],
  ['a fold in the trailers', `3${CRLF}abc${CRLF}0${CRLF} folded${CRLF}${CRLF}`],
  ['a trailer without a colon', `3${CRLF}abc${CRLF}0${CRLF}trailer${CRLF}${CRLF}`],
  ['NUL after the last chunk', `3${CRLF}abc${CRLF}0${CRLF}\0${CRLF}`],
].map(([name = '', body = '']) => refused(name, chunked(`${body}${SMUGGLED}`)));

const hosts = [
  '',
  ' ',
  'evil.example',
  '{host}, evil.example',
  '{host} evil',
  'user@{host}',
  '{host}@evil.example',
  '{host}/x',
  '{host}#',
  '{host}?',
  'evil.example#{host}',
  '{host}\x00',
  '\x00{host}',
  '{host}\x0b',
  'http://{host}',
  '{host}:80',
  'localhost.evil.example',
  '127.0.0.1.nip.io',
  'local\xe9host',
  '0.0.0.0',
  '[::]',
  '127.1',
  '2130706433',
  '0x7f.1',
  'localhost.',
  '%31%32%37.0.0.1',
  '{host}.',
  '.{host}',
  '*',
  '127.0.0.1:',
  '127.0.0.1:99999',
  'localhost:evil',
  '[{host}]',
  '{host}\\x',
  '{host};a',
  "{host}'",
  '"{host}"',
].map((host) => refused(`Host ${JSON.stringify(host)}`, request('GET /outer HTTP/1.1', [`Host: ${host}`])));

const twoHosts = ['{host}', 'evil.example', '', '{host} '].flatMap((second) => [
  refused(`a second Host ${JSON.stringify(second)}`, request('GET /outer HTTP/1.1', [HOST, `Host: ${second}`])),
  refused(
    `a first Host ${JSON.stringify(second)}`,
    request('GET /outer HTTP/1.1', [`host: ${second}`, 'X-A: b', HOST]),
  ),
]);

const targets = [
  'http://evil.example/outer',
  'http://{host}@evil.example/outer',
  'http://evil.example@{host}/outer',
  'https://{host}/outer',
  'ftp://{host}/outer',
  'http:///outer',
  'http:/outer',
  'http:outer',
  'outer',
  '',
  '?outer',
  '*',
  '\\outer',
  '/out er',
  '/out\x00er',
  '/out\x01er',
  '/out\x7fer',
  '/out\xe9er',
  '/outer#x',
  'http://{host}#/outer',
  'http://{host}\\@evil/outer',
  '/outer\tx',
  '/outer\x0bx',
  '/outer\rx',
  'javascript:/outer',
  '{host}/outer',
  'http://{host}:80/outer',
  'http://{host}./outer',
].map((target) => refused(`target ${JSON.stringify(target)}`, request(`GET ${target} HTTP/1.1`, [HOST])));

const lines = [
  'GET /outer',
  'GET /outer HTTP/0.9',
  'GET /outer HTTP/2.0',
  'GET /outer HTTP/1.2',
  'GET /outer HTTP/1.10',
  'GET /outer HTTP/11',
  'GET /outer HTTP/1',
  'GET /outer http/1.1',
  'GET /outer HTTP/ 1.1',
  'GET /outer HTTP /1.1',
  'GET /outer HTTP/1.1 x',
  'GET /outer HTTP/1.1\t',
  'GET /outer HTTP/+1.1',
  'GET /outer HTTP/1.-1',
  'GET\t/outer HTTP/1.1',
  'GET\x0b/outer HTTP/1.1',
  'GET\x00 /outer HTTP/1.1',
  'G\x00ET /outer HTTP/1.1',
  'get /outer HTTP/1.1',
  'Get /outer HTTP/1.1',
  'GE(T) /outer HTTP/1.1',
  ' GET /outer HTTP/1.1',
  '\tGET /outer HTTP/1.1',
  'GET/outer HTTP/1.1',
  '/outer HTTP/1.1',
  'HTTP/1.1 200 OK',
  'GET /outer HTTPS/1.1',
  'GET /outer ICE/1.0',
  'PRI * HTTP/2.0',
  'G\xc9T /outer HTTP/1.1',
].map((line) => refused(`request line ${JSON.stringify(line)}`, request(line, [HOST])));

const values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 21, 27, 31, 127]
  .map((code) => String.fromCharCode(code))
  .map((byte) =>
    refused(`${JSON.stringify(byte)} inside a value`, request('GET /outer HTTP/1.1', [HOST, `X-A: b${byte}c`])),
  );

/** Bytes that a value may have, and that end no line. */
const carried = ['\xff', '\x80', '\x85', '\xe2\x80\xa8', '\xe5\x98\x8d\xe5\x98\x8a'].map((bytes): HostileCase => ({
  name: `${JSON.stringify(bytes)} inside a value`,
  bytes: request('GET /outer HTTP/1.1', [HOST, `X-A: b${bytes}Transfer-Encoding: chunked`]),
  intended: ['GET /outer '],
}));

const breaks = [
  ['line feed between headers', `GET /outer HTTP/1.1${CRLF}${HOST}\nX-A: b${CRLF}${CRLF}`],
  ['line feed after the request line', `GET /outer HTTP/1.1\n${HOST}${CRLF}${CRLF}`],
  ['line feed then carriage return', `GET /outer HTTP/1.1\n\r${HOST}\n\r\n\r`],
  ['carriage returns only', `GET /outer HTTP/1.1\r${HOST}\r\r`],
  ['two carriage returns before a line feed', `GET /outer HTTP/1.1${CRLF}${HOST}\r\r\n\r\n`],
  ['a fold with a tab', request('GET /outer HTTP/1.1', [HOST, 'X-A: b', '\tfolded'])],
  ['a fold of Host', request('GET /outer HTTP/1.1', ['Host:', ' {host}'])],
  ['a fold of Transfer-Encoding', post(['Transfer-Encoding:', ' chunked'], `0${CRLF}${CRLF}${SMUGGLED}`)],
  ['a fold of Content-Length', post(['Content-Length:', ' 5'], `hello${SMUGGLED}`)],
  ['a first header that is folded', `GET /outer HTTP/1.1${CRLF} X-A: b${CRLF}${HOST}${CRLF}${CRLF}`],
  ['a header without a colon', request('GET /outer HTTP/1.1', [HOST, 'X-A'])],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.padEnd(200, '\xaa')],
  ['nothing but NUL', '\0'.repeat(1_000)],
  ['nothing but line ends', CRLF.repeat(40)],
  ['91 headers', request('GET /outer HTTP/1.1', [HOST, ...Array.from({ length: 90 }, (_, i) => `X-${i}: v`)])],
  ['97 headers', request('GET /outer HTTP/1.1', [HOST, ...Array.from({ length: 96 }, (_, i) => `X-${i}: v`)])],
  ['a body that is too short', post(['Content-Length: 500'], SMUGGLED)],
  ['chunks without an end', chunked(`3${CRLF}abc${CRLF}`)],
].map(([name = '', bytes = '']) => refused(name, bytes));

/** Requests that are as they must be, though they do not look so: served as meant, or not at all. */
const plain: readonly HostileCase[] = [
  { name: 'spaces around values', bytes: post(['Content-Length:    5  '], 'hello'), intended: ['POST /outer hello'] },
  {
    name: 'CHUNKED',
    bytes: post(['Transfer-Encoding: CHUNKED'], `3${CRLF}abc${CRLF}0${CRLF}${CRLF}`),
    intended: ['POST /outer abc'],
  },
  { name: 'a chunk extension', bytes: chunked(`3;a=b${CRLF}abc${CRLF}0${CRLF}${CRLF}`), intended: ['POST /outer abc'] },
  {
    name: 'a chunk size in capitals with zeros',
    bytes: chunked(`000A${CRLF}0123456789${CRLF}0${CRLF}${CRLF}`),
    intended: ['POST /outer 0123456789'],
  },
  {
    name: 'a space after a chunk size',
    bytes: chunked(`3 ${CRLF}abc${CRLF}0${CRLF}${CRLF}`),
    intended: ['POST /outer abc'],
  },
  {
    name: 'trailers',
    bytes: chunked(`3${CRLF}abc${CRLF}0${CRLF}X-Trailer: v${CRLF}${CRLF}`),
    intended: ['POST /outer abc'],
  },
  {
    name: 'framing in trailers',
    bytes: chunked(`3${CRLF}abc${CRLF}0${CRLF}Content-Length: 9${CRLF}${CRLF}`),
    intended: ['POST /outer abc'],
  },
  {
    name: 'an absolute target with its host',
    bytes: request('GET http://{host}/outer HTTP/1.1', [HOST]),
    intended: ['GET /outer '],
  },
  {
    name: 'a body of GET',
    bytes: request('GET /outer HTTP/1.1', [HOST, 'Content-Length: 3'], 'abc'),
    intended: ['GET /outer abc'],
  },
  { name: 'HTTP/1.0', bytes: request('GET /outer HTTP/1.0', [HOST]), intended: ['GET /outer '] },
  {
    name: 'a path with two slashes',
    bytes: request('GET //evil.example/outer HTTP/1.1', [HOST]),
    intended: ['GET //evil.example/outer '],
  },
  { name: 'dots in the path', bytes: request('GET /a/../outer HTTP/1.1', [HOST]), intended: ['GET /a/../outer '] },
  { name: 'an empty line first', bytes: `${CRLF}${request('GET /outer HTTP/1.1', [HOST])}`, intended: ['GET /outer '] },
  {
    name: 'two requests at once',
    bytes: request('GET /outer HTTP/1.1', [HOST]) + SMUGGLED,
    intended: ['GET /outer ', 'GET /smuggled '],
  },
];

/** Everything else: the same faults in every place and spelling that parsers are known to differ on. */
export const generatedCases: readonly HostileCase[] = [
  ...lengthCases,
  ...doubled,
  ...codingCases,
  ...lengthBeside,
  ...twoCodings,
  ...nameCases,
  ...underscored,
  ...chunkSizes,
  ...chunkEnds,
  ...hosts,
  ...twoHosts,
  ...targets,
  ...lines,
  ...values,
  ...carried,
  ...breaks,
  ...plain,
];
